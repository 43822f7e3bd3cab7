/*
 * export.h - the few macros that every public header needs
 *
 * TT_API marks what the shared library exports; everything else is hidden.  TT_PRINTF lets the compiler check a format against its
 * arguments.  TT_AUTO declares a variable that is released at the end of its scope:
 *
 *	TT_AUTO(tt_loop) *loop = NULL;
 *
 * It works for every type whose header says TT_AUTO_DEFINE.
 */
#ifndef TRIMTAB_EXPORT_H
#define TRIMTAB_EXPORT_H

#define TT_API __attribute__((visibility("default")))

#define TT_PRINTF(words, first) __attribute__((__format__(__printf__, words, first)))

#define TT_AUTO(type) __attribute__((cleanup(type##_auto_))) type

#define TT_AUTO_DEFINE(type, release)                   \
	static inline void type##_auto_(type **pointer) \
	{                                               \
		release(*pointer);                      \
	}                                               \
	struct tt_semicolon_

#endif
