/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of QEMU's TCG plugin interface, version 1, that the model uses.
 *
 * Debian ships no qemu-plugin.h, so the calls are declared here from the
 * documented interface.  Handles are opaque; nothing below depends on the
 * inside of QEMU.
 */
#ifndef NUMASIM_QEMU_API_H
#define NUMASIM_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_API_VERSION	1
#define PLUGIN_EXPORT		__attribute__((visibility("default")))

/* First argument of qemu_plugin_install(). */
struct qemu_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus;
		int max_vcpus;
	} system;
};

enum qemu_cb_flags { QEMU_CB_NO_REGS, QEMU_CB_R_REGS, QEMU_CB_RW_REGS };
enum qemu_mem_rw { QEMU_MEM_R = 1, QEMU_MEM_W = 2, QEMU_MEM_RW = 3 };

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

typedef void (*qemu_id_cb)(uint64_t id);
typedef void (*qemu_exit_cb)(uint64_t id, void *udata);
typedef void (*qemu_trans_cb)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_exec_cb)(unsigned int vcpu, void *udata);
typedef void (*qemu_mem_cb)(unsigned int vcpu, uint32_t info, uint64_t vaddr,
			    void *udata);

/* What QEMU looks up in the plugin. */
extern PLUGIN_EXPORT int qemu_plugin_version;
PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info,
				      int argc, char **argv);

void qemu_plugin_reset(uint64_t id, qemu_id_cb done);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_exit_cb cb, void *udata);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_trans_cb cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  qemu_exec_cb cb,
					  enum qemu_cb_flags flags,
					  void *udata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_exec_cb cb,
					    enum qemu_cb_flags flags,
					    void *udata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qemu_mem_cb cb, enum qemu_cb_flags flags,
				      enum qemu_mem_rw rw, void *udata);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t idx);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

unsigned int qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t info, uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hw);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *hw);

#endif
