#include "study.h"
void carom_study_work(void)
{
}
