/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_CURRENT_H
#define SHIM_CURRENT_H

struct task_struct;
extern __thread struct task_struct shim_task;
#define current	(&shim_task)

#endif
