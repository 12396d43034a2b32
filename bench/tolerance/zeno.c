#include "study.h"
void carom_study_zeno(void)
{
}
