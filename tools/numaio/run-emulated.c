// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the CPU emulated (TCG)? Times of such a host are no measurements. Only x86 has an
 * instruction that says so; elsewhere there is what QEMU puts into the firmware's tables. Where
 * QEMU is seen but not what executes its guest, the answer is "maybe", not "no".
 */
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "run.h"

#define TCG	"TCGTCGTCGTCG"

/* The value of "key : value" in /proc/cpuinfo. */
static char *field(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, key, len))
			continue;
		p += len + strspn(p + len, " \t");
		if (*p == ':')
			return strndup(p + 1 + strspn(p + 1, " \t"),
				       strcspn(p + 1 + strspn(p + 1, " \t"), "\n"));
	}
	return NULL;
}

static char *cpuinfo(const char *key)
{
	char *text = run_read("/proc/cpuinfo"), *value = field(text, key);

	free(text);
	return value;
}

char *run_cpu_model(void)
{
	char *name = cpuinfo("model name");

	return name ? name : cpuinfo("cpu");
}

/* "TCGTCGTCGTCG", "KVMKVMKVM", ..., "" without a hypervisor or on other machines. */
static void signature(char sig[13])
{
	memset(sig, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
	unsigned int eax, ebx, ecx, edx, hypervisor;

	if (*run_sysroot || !__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return;
	hypervisor = ecx & 1U << 31;
	__cpuid(0x40000000, eax, ebx, ecx, edx);
	memcpy(sig, &ebx, 4);
	memcpy(sig + 4, &ecx, 4);
	memcpy(sig + 8, &edx, 4);
	/* TCG says so also with hypervisor=off; a real CPU answers with something else */
	if (!hypervisor && strcmp(sig, TCG))
		*sig = '\0';
#endif
}

/* A file of the device tree is a list of strings; the first one is enough here. */
static bool file_is(const char *path, const char *value)
{
	char *text = run_read(path);
	bool is = text && !strcmp(text, value);

	free(text);
	return is;
}

static bool file_begins(const char *path, const char *value)
{
	char *text = run_read(path);
	bool does = text && !strncmp(text, value, strlen(value));

	free(text);
	return does;
}

/* On arm64: no maker has number 0, QEMU's own model "max" does. */
static bool is_arm_of_qemu(void)
{
	char *maker = cpuinfo("CPU implementer"), *part = cpuinfo("CPU part");
	bool is = maker && part && !strcmp(maker, "0x00") && !strcmp(part, "0x051");

	free(maker);
	free(part);
	return is;
}

static const char *why_emulated(const char *sig, const char *name)
{
	if (!strcmp(sig, TCG))
		return "cpuid says TCG";
	if (name && strstr(name, "QEMU TCG"))
		return "its name is QEMU TCG";
	if (is_arm_of_qemu())
		return "its maker and part are those of QEMU's max";
	/* What arm64 and riscv64 machines of QEMU are named; with KVM it is another name. */
	if (file_begins("/sys/class/dmi/id/product_name", "QEMU Virtual Machine"))
		return "DMI says QEMU Virtual Machine";
	return NULL;
}

static bool is_kvm(const char *sig)
{
	return !strncmp(sig, "KVMKVMKVM", 9) ||
	       file_begins("/proc/device-tree/hypervisor/compatible", "linux,kvm") ||
	       file_begins("/sys/class/dmi/id/product_name", "KVM Virtual Machine");
}

static const char *why_maybe(const char *sig)
{
	/* a hypervisor that says its name is not TCG */
	if (*sig || is_kvm(sig))
		return NULL;
	if (file_is("/sys/class/dmi/id/sys_vendor", "QEMU"))
		return "DMI says QEMU, and nothing says KVM";
	if (file_begins("/proc/device-tree/compatible", "linux,dummy-virt") ||
	    file_begins("/proc/device-tree/compatible", "riscv-virtio") ||
	    file_begins("/proc/device-tree/model", "IBM pSeries (emulated by qemu)") ||
	    file_begins("/proc/device-tree/hypervisor/compatible", "qemu"))
		return "the device tree is one of QEMU's, and nothing says KVM";
	return NULL;
}

/* *why: how that is known, or NULL; free() it. */
enum run_emulation run_emulation(char **why)
{
	char sig[13], *name = run_cpu_model();
	const char *text;
	enum run_emulation e = RUN_EMULATED;

	signature(sig);
	text = why_emulated(sig, name);
	if (!text) {
		text = why_maybe(sig);
		e = text ? RUN_MAYBE_EMULATED : RUN_NOT_EMULATED;
	}
	*why = run_dup(text);
	free(name);
	return e;
}
