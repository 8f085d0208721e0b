/* A libnvidia-ml.so.1 without a driver: it answers from the text file that FAKE_NVML names.
 *
 * A line is "KEY VALUE". A key names a device and a question: gpu.0.name, gpu.0.link.3.state, gpu.0.mig.1.uuid,
 * pair.0.1.ancestor, driver.version; gpus is their number. "!15" for a value is that error, "gpu.0 !15" answers every
 * question about the device so. What has no line is not supported (error 3). A star stands for any number: gpu.*.name.
 * With OLD_DRIVER the calls are missing that drivers before 515 do not have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUCCESS 0
#define INVALID_ARGUMENT 2
#define NOT_SUPPORTED 3
#define NOT_FOUND 6
#define VERSION_MISMATCH 25
#define NOT_GIVEN (-1)

typedef unsigned long long handle_t; /* GPU and MIG device, both counted from 1 */

static struct { char key[96], value[160]; } lines[4096];
static int count = NOT_GIVEN;

static void load(void) {
    const char *path = getenv("FAKE_NVML");
    FILE *file = path ? fopen(path, "r") : NULL;
    count = 0;
    while (file && count < 4096 && fscanf(file, "%95s %159[^\n]", lines[count].key, lines[count].value) == 2) count++;
    if (file) fclose(file);
}

static int fits(const char *pattern, const char *key) {
    for (; *pattern && *key; pattern++, key++) {
        if (*pattern == '*') {
            while (key[1] >= '0' && key[1] <= '9') key++;
        } else if (*pattern != *key) {
            return 0;
        }
    }
    return !*pattern && !*key;
}

static const char *line_of(const char *key) {
    if (count == NOT_GIVEN) load();
    for (int i = 0; i < count; i++)
        if (fits(lines[i].key, key)) return lines[i].value;
    return NULL;
}

/* Find the answer to a question; its text is in *value where the call succeeds. */
static int answer(const char *key, const char **value) {
    const char *text = line_of(key);
    if (!text) return NOT_SUPPORTED;
    if (*text == '!') return atoi(text + 1);
    *value = text;
    return SUCCESS;
}

static int of_device(handle_t handle, const char *question, const char **value) {
    char key[96];
    int gpu = (int)(handle >> 8) - 1, mig = (int)(handle & 255) - 1;
    snprintf(key, sizeof key, "gpu.%d", gpu);
    const char *all = line_of(key);
    if (all && *all == '!') return atoi(all + 1);
    if (mig < 0) snprintf(key, sizeof key, "gpu.%d.%s", gpu, question);
    else snprintf(key, sizeof key, "gpu.%d.mig.%d.%s", gpu, mig, question);
    return answer(key, value);
}

static int of_link(handle_t handle, unsigned link, const char *question, const char **value) {
    char asked[64];
    snprintf(asked, sizeof asked, "link.%u.state", link);
    if (of_device(handle, asked, value) == NOT_SUPPORTED) return INVALID_ARGUMENT;
    snprintf(asked, sizeof asked, "link.%u.%s", link, question);
    return of_device(handle, asked, value);
}

static int of_pair(handle_t one, handle_t other, const char *question, const char **value) {
    char key[96];
    snprintf(key, sizeof key, "pair.%d.%d.%s", (int)(one >> 8) - 1, (int)(other >> 8) - 1, question);
    return answer(key, value);
}

static int text_into(int code, const char *value, char *buffer, unsigned length) {
    if (code == SUCCESS) snprintf(buffer, length, "%s", value);
    return code;
}

static int number_into(int code, const char *value, unsigned *number) {
    if (code == SUCCESS) *number = (unsigned)strtoul(value, NULL, 0);
    return code;
}

static int wide_into(int code, const char *value, unsigned long long *number) {
    if (code == SUCCESS) *number = strtoull(value, NULL, 0);
    return code;
}

int nvmlInitWithFlags(unsigned flags) {
    const char *value = NULL;
    int code = answer("init", &value);
    (void)flags;
    return code == NOT_SUPPORTED ? SUCCESS : code;
}
int nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(int code) { (void)code; return "an error"; }

#define OF_SYSTEM(NAME, KEY) \
    int NAME(char *buffer, unsigned length) { \
        const char *value = NULL; \
        int code = answer(KEY, &value); \
        return text_into(code, value, buffer, length); \
    }
#define TEXT(NAME, KEY) \
    int NAME(handle_t handle, char *buffer, unsigned length) { \
        const char *value = NULL; \
        int code = of_device(handle, KEY, &value); \
        return text_into(code, value, buffer, length); \
    }
#define NUMBER(NAME, KEY) \
    int NAME(handle_t handle, unsigned *number) { \
        const char *value = NULL; \
        int code = of_device(handle, KEY, &value); \
        return number_into(code, value, number); \
    }
#define OF_LINK(NAME, KEY) \
    int NAME(handle_t handle, unsigned link, unsigned *number) { \
        const char *value = NULL; \
        int code = of_link(handle, link, KEY, &value); \
        return number_into(code, value, number); \
    }

OF_SYSTEM(nvmlSystemGetDriverVersion, "driver.version")
OF_SYSTEM(nvmlSystemGetNVMLVersion, "driver.nvml")
int nvmlSystemGetCudaDriverVersion_v2(unsigned *number) {
    const char *value = NULL;
    int code = answer("driver.cuda", &value);
    return number_into(code, value, number);
}
int nvmlDeviceGetCount_v2(unsigned *number) {
    const char *value = NULL;
    int code = answer("gpus", &value);
    return number_into(code, value, number);
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, handle_t *handle) {
    const char *value = NULL;
    handle_t made = (handle_t)(index + 1) << 8;
    int code = of_device(made, "handle", &value);
    *handle = made;
    return code == NOT_SUPPORTED ? SUCCESS : code;
}

TEXT(nvmlDeviceGetName, "name")
TEXT(nvmlDeviceGetUUID, "uuid")
TEXT(nvmlDeviceGetSerial, "serial")
NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_generation")
NUMBER(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_max_generation")
NUMBER(nvmlDeviceGetMaxPcieLinkWidth, "pcie_max_width")
NUMBER(nvmlDeviceGetPerformanceState, "performance_state")
NUMBER(nvmlDeviceGetPcieReplayCounter, "pcie_replays")
NUMBER(nvmlDeviceGetMinorNumber, "minor")
NUMBER(nvmlDeviceGetGpuInstanceId, "gpu_instance")
NUMBER(nvmlDeviceGetComputeInstanceId, "compute_instance")
OF_LINK(nvmlDeviceGetNvLinkState, "state")
OF_LINK(nvmlDeviceGetNvLinkVersion, "version")

typedef struct {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
} pci_t;

static int pci_into(int code, const char *value, pci_t *pci) {
    if (code == SUCCESS) snprintf(pci->bus_id, sizeof pci->bus_id, "%s", value);
    return code;
}
int nvmlDeviceGetPciInfo_v3(handle_t handle, pci_t *pci) {
    const char *value = NULL;
    int code = of_device(handle, "pci", &value);
    return pci_into(code, value, pci);
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(handle_t handle, unsigned link, pci_t *pci) {
    const char *value = NULL;
    int code = of_link(handle, link, "remote_pci", &value);
    return pci_into(code, value, pci);
}

typedef struct { unsigned long long total, free, used; } memory_t;
int nvmlDeviceGetMemoryInfo(handle_t handle, memory_t *memory) {
    const char *value = NULL;
    int code = of_device(handle, "memory_bytes", &value);
    return wide_into(code, value, &memory->total);
}
int nvmlDeviceGetBAR1MemoryInfo(handle_t handle, memory_t *memory) {
    const char *value = NULL;
    int code = of_device(handle, "bar1_bytes", &value);
    return wide_into(code, value, &memory->total);
}
int nvmlDeviceGetUtilizationRates(handle_t handle, unsigned *rates) {
    const char *value = NULL;
    int code = of_device(handle, "utilisation", &value);
    return number_into(code, value, rates);
}
/* Sets of CPUs and NUMA nodes: the value is the first word. */
int nvmlDeviceGetCpuAffinity(handle_t handle, unsigned size, unsigned long long *set) {
    const char *value = NULL;
    int code = of_device(handle, "cpus", &value);
    memset(set, 0, size * sizeof *set);
    return wide_into(code, value, set);
}
int nvmlDeviceGetMigMode(handle_t handle, unsigned *current, unsigned *pending) {
    const char *value = NULL;
    int code = of_device(handle, "mig_mode", &value);
    number_into(code, value, pending);
    return number_into(code, value, current);
}
int nvmlDeviceGetMaxMigDeviceCount(handle_t handle, unsigned *number) {
    const char *value = NULL;
    int code = of_device(handle, "migs", &value);
    return number_into(code, value, number);
}
int nvmlDeviceGetMigDeviceHandleByIndex(handle_t handle, unsigned index, handle_t *mig) {
    const char *value = NULL;
    *mig = handle | (index + 1);
    return of_device(*mig, "uuid", &value) == SUCCESS ? SUCCESS : NOT_FOUND;
}
int nvmlDeviceGetTopologyCommonAncestor(handle_t one, handle_t other, unsigned *level) {
    const char *value = NULL;
    int code = of_pair(one, other, "ancestor", &value);
    return number_into(code, value, level);
}
int nvmlDeviceGetP2PStatus(handle_t one, handle_t other, unsigned index, unsigned *status) {
    static const char *names[] = {"read", "write", "nvlink", "atomics", "property"};
    const char *value = NULL;
    int code = index < 5 ? of_pair(one, other, names[index], &value) : INVALID_ARGUMENT;
    return number_into(code, value, status);
}
int nvmlDeviceGetNvLinkErrorCounter(handle_t handle, unsigned link, unsigned counter, unsigned long long *number) {
    static const char *names[] = {"replays", "recoveries", "crc"};
    const char *value = NULL;
    int code = counter < 3 ? of_link(handle, link, names[counter], &value) : NOT_SUPPORTED;
    return wide_into(code, value, number);
}

#ifndef OLD_DRIVER
OF_LINK(nvmlDeviceGetNvLinkRemoteDeviceType, "remote_type")
NUMBER(nvmlDeviceGetNumaNodeId, "gpu_numa")
NUMBER(nvmlDeviceGetGpuMaxPcieLinkGeneration, "pcie_device_max_generation")
int nvmlDeviceGetMemoryAffinity(handle_t handle, unsigned size, unsigned long long *set, unsigned scope) {
    const char *value = NULL;
    int code = of_device(handle, "numa", &value);
    (void)scope;
    memset(set, 0, size * sizeof *set);
    return wide_into(code, value, set);
}
int nvmlDeviceGetCurrentClocksEventReasons(handle_t handle, unsigned long long *reasons) {
    const char *value = NULL;
    int code = of_device(handle, "clocks_reasons", &value);
    return wide_into(code, value, reasons);
}

typedef struct { unsigned version, value; } mode_t_;
int nvmlDeviceGetAddressingMode(handle_t handle, mode_t_ *mode) {
    const char *value = NULL;
    int code = of_device(handle, "addressing_mode", &value);
    if (mode->version != 0x1000008) return VERSION_MISMATCH;
    return number_into(code, value, &mode->value);
}

typedef struct {
    unsigned field, scope;
    long long timestamp, latency;
    unsigned type, code;
    union { double d; unsigned u; unsigned long long ull; } value;
} field_t;
int nvmlDeviceGetFieldValues(handle_t handle, int number, field_t *fields) {
    for (int i = 0; i < number; i++) {
        const char *value = NULL;
        fields[i].code = fields[i].field == 164 ? of_link(handle, fields[i].scope, "speed_mbps", &value) : NOT_SUPPORTED;
        fields[i].type = 1; /* unsigned int */
        number_into((int)fields[i].code, value, &fields[i].value.u);
    }
    return SUCCESS;
}

typedef struct {
    unsigned version;
    unsigned char cluster[16];
    unsigned status, clique, state, health_mask;
    unsigned char health;
} fabric_t;
int nvmlDeviceGetGpuFabricInfoV(handle_t handle, fabric_t *fabric) {
    const char *value = NULL;
    int code = of_device(handle, "fabric_state", &value);
    unsigned newest = 0x3000028;
    const char *known = line_of("fabric_version");
    if (known) newest = (unsigned)strtoul(known, NULL, 0);
    if (fabric->version > newest) return VERSION_MISMATCH;
    if (code != SUCCESS) return code;
    memset(fabric->cluster, 0xAB, sizeof fabric->cluster);
    fabric->status = 0;
    fabric->clique = 7;
    fabric->state = (unsigned)strtoul(value, NULL, 0);
    if (fabric->version == 0x3000028) fabric->health = 1;
    return SUCCESS;
}
#endif
