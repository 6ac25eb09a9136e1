/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_COMPILER_H
#define SHIM_COMPILER_H

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" ::: "memory")
#define __percpu
#define __force
#define noinline		__attribute__((noinline))
#undef __always_inline
#define __aligned(n)			__attribute__((aligned(n)))
#define __always_inline		inline __attribute__((always_inline))
#define __maybe_unused		__attribute__((unused))
#define __always_unused		__attribute__((unused))
#define __must_check		__attribute__((warn_unused_result))
#define __cleanup(f)		__attribute__((cleanup(f)))
#define __same_type(a, b)	__builtin_types_compatible_p(typeof(a), typeof(b))
#define ___PASTE(a, b)		a##b
#define __PASTE(a, b)		___PASTE(a, b)
#define __UNIQUE_ID(prefix)	__PASTE(__PASTE(unique_id_, prefix), __COUNTER__)
#define __is_constexpr(x)	__builtin_constant_p(x)
#define statically_true(x)	(__builtin_constant_p(x) && (x))
#define compiletime_assert(cond, msg)	((void)0)

/*
 * What the kernel marks as a race that is meant is a relaxed atomic here, or is
 * hidden: then ThreadSanitizer reports all others.
 */
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, val)	__atomic_store_n(&(x), (val), __ATOMIC_RELAXED)

#ifdef __SANITIZE_THREAD__
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

#define data_race(expr)						\
({								\
	AnnotateIgnoreReadsBegin(__FILE__, __LINE__);		\
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);		\
	typeof(expr) data_race_value = (expr);			\
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);		\
	AnnotateIgnoreReadsEnd(__FILE__, __LINE__);		\
	data_race_value;					\
})
#else
#define data_race(expr)		(expr)
#endif

#endif
