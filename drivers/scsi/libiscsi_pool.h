/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks of an iSCSI session that no one uses. See libiscsi_pool.c.
 */
#ifndef _LIBISCSI_POOL_H
#define _LIBISCSI_POOL_H

#include <linux/kfifo.h>

#include <scsi/libiscsi.h>

bool iscsi_task_pools_init(struct iscsi_session *session, int task_size);
void iscsi_task_pools_free(struct iscsi_session *session);
int iscsi_task_pools_node(const struct iscsi_task_pools *pools, unsigned int i);
struct iscsi_task *iscsi_task_pools_get(struct iscsi_task_pools *pools,
					struct scsi_cmnd *sc);
void iscsi_task_pools_put(struct iscsi_task_pools *pools,
			  struct iscsi_task *task);
void iscsi_task_pools_show(struct iscsi_session *session);
void iscsi_task_pools_hide(struct iscsi_session *session);

/* The node that task number @i of a session shall be on, or NUMA_NO_NODE. */
static inline int iscsi_task_node(const struct iscsi_session *session,
				  unsigned int i)
{
	if (session->pools)
		return iscsi_task_pools_node(session->pools, i);
	return session->host->numa_node;
}

/* A task for a command, or for management without one. Under frwd_lock. */
static inline struct iscsi_task *iscsi_pool_get_task(struct iscsi_session *session,
						     struct scsi_cmnd *sc)
{
	struct iscsi_task *task;

	if (IS_ENABLED(CONFIG_NUMA) && session->pools)
		return iscsi_task_pools_get(session->pools, sc);
	if (!kfifo_out(&session->cmdpool.queue, (void *)&task, sizeof(void *)))
		return NULL;
	return task;
}

/* Under back_lock. */
static inline void iscsi_pool_put_task(struct iscsi_session *session,
				       struct iscsi_task *task)
{
	if (IS_ENABLED(CONFIG_NUMA) && session->pools)
		iscsi_task_pools_put(session->pools, task);
	else
		kfifo_in(&session->cmdpool.queue, (void *)&task, sizeof(void *));
}

#endif /* _LIBISCSI_POOL_H */
