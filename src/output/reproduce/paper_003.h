/* paper_003.h: entries of one paper that stand in files of their own. */
#ifndef CAROM_PAPER_003_H
#define CAROM_PAPER_003_H

#include "output/reproduce/reproduce.h"

/* paper_003_local.c */
carom_status carom_003_example_3(carom_findings *f, carom_error *error);
carom_status carom_003_lemma_1(carom_findings *f, carom_error *error);
carom_status carom_003_propositions(carom_findings *f, carom_error *error);
carom_status carom_003_proposition_2(carom_findings *f, carom_error *error);
/* paper_003_control.c */
carom_status carom_003_figure_4(carom_findings *f, carom_error *error);
carom_status carom_003_figure_5(carom_findings *f, carom_error *error);

#endif
