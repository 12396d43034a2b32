#include "study.h"
void carom_study_dips(void)
{
}
