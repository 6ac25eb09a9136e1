/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_SPINLOCK_H
#define SHIM_SPINLOCK_H

#include <linux/bitops.h>
#include <linux/cleanup.h>

typedef struct {
	int locked;
#ifdef SHIM_LOCK_PAD
	/* Like a lock that carries what lockdep wants to know. */
	char pad[SHIM_LOCK_PAD];
#endif
} raw_spinlock_t;
typedef raw_spinlock_t spinlock_t;

#define __SPIN_LOCK_UNLOCKED(name)	{ 0 }

void raw_spin_lock_init(raw_spinlock_t *lock);
void raw_spin_lock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);

/* There are no interrupts. */
#define spin_lock_init			raw_spin_lock_init
#define spin_lock_irqsave(l, flags)	({ (flags) = 0; raw_spin_lock(l); })
#define spin_unlock_irqrestore(l, flags) ({ (void)(flags); raw_spin_unlock(l); })
#define spin_lock_irq			raw_spin_lock
#define spin_unlock_irq			raw_spin_unlock
#define spin_lock			raw_spin_lock
#define spin_unlock			raw_spin_unlock
#define lockdep_set_class_and_name(lock, key, name)	((void)(key), (void)(name))
#define lockdep_assert_held(lock)	((void)(lock))
struct lock_class_key {
};

DEFINE_GUARD(raw_spinlock_irqsave, raw_spinlock_t *, raw_spin_lock(_T),
	     raw_spin_unlock(_T))

#endif
