/*
 * inner.h - how libtrimtab-server reaches the inside of libtrimtab
 *
 * A function marked TT_INNER is exported under the symbol version TRIMTAB_PRIVATE: declared in no public header, and good only for
 * the libtrimtab-server of the same release.  So the two libraries share one copy of each module, and programs cannot come to depend
 * on the inside.
 */
#ifndef TRIMTAB_BASE_INNER_H
#define TRIMTAB_BASE_INNER_H

#define TT_INNER __attribute__((visibility("default")))

#endif
