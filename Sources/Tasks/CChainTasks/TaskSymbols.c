// SPDX-License-Identifier: MIT

// Names of functions, from the symbol tables of the images that contain them.
#define _GNU_SOURCE
#include "CChainTasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct image {
    /// The address to look up.
    uintptr_t address;
    /// The difference of addresses in memory and in the file: 0 in a program that is not position-independent.
    uintptr_t bias;
    /// The first address of the image.
    const void *begin;
    char path[4096];
    bool is_found;
} image;

static int find_image(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    image *image = context;
    const void *first = NULL;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD) continue;
        // Loaded segments stand in the order of their addresses.
        if (first == NULL) first = (const void *)begin;
        if (image->address < begin || image->address >= begin + header->p_memsz) continue;
        image->bias = info->dlpi_addr;
        image->begin = first;
        // The program itself has no path here.
        strncpy(image->path, info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name, sizeof image->path - 1);
        image->is_found = true;
        return 1;
    }
    return 0;
}

static bool is_inside(size_t offset, size_t count, size_t size) { return offset <= size && count <= size - offset; }

/// Copies the name of the symbol that contains `offset`, from the sections of the type `table`.
static bool find_symbol(
    const char *file, size_t size, uint32_t table, uintptr_t offset, char *buffer, size_t buffer_size) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file;
    // The library may have been replaced by another file since it was loaded.
    if (size < sizeof *header || memcmp(file, ELFMAG, SELFMAG) != 0 || file[EI_CLASS] != ELFCLASS64) return false;
    if (header->e_shoff == 0 || !is_inside(header->e_shoff, (size_t)header->e_shnum * sizeof(Elf64_Shdr), size)) return false;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header->e_shoff);
    for (int section = 0; section < header->e_shnum; section++) {
        if (sections[section].sh_type != table || sections[section].sh_link >= header->e_shnum) continue;
        const Elf64_Shdr *strings = &sections[sections[section].sh_link];
        if (!is_inside(sections[section].sh_offset, sections[section].sh_size, size)) continue;
        if (!is_inside(strings->sh_offset, strings->sh_size, size)) continue;
        // A NUL at the end of the table ends the last name within it.
        if (strings->sh_size == 0 || file[strings->sh_offset + strings->sh_size - 1] != '\0') continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(file + sections[section].sh_offset);
        const Elf64_Sym *best = NULL;
        for (size_t index = 0; index < sections[section].sh_size / sizeof *symbols; index++) {
            const Elf64_Sym *symbol = &symbols[index];
            if (symbol->st_shndx == SHN_UNDEF || symbol->st_value > offset || symbol->st_name >= strings->sh_size) continue;
            if (offset - symbol->st_value >= (symbol->st_size == 0 ? 1 : symbol->st_size)) continue;
            if (best == NULL || symbol->st_value > best->st_value) best = symbol;
        }
        if (best == NULL) continue;
        strncpy(buffer, file + strings->sh_offset + best->st_name, buffer_size - 1);
        buffer[buffer_size - 1] = '\0';
        return buffer[0] != '\0';
    }
    return false;
}

bool chain_program_has_symbols(void) {
    int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return true;
    Elf64_Ehdr header;
    bool is_known = pread(descriptor, &header, sizeof header, 0) == sizeof header
        && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
    bool is_found = !is_known;
    for (int section = 0; is_known && !is_found && section < header.e_shnum; section++) {
        Elf64_Shdr next;
        off_t offset = (off_t)header.e_shoff + section * (off_t)sizeof next;
        if (pread(descriptor, &next, sizeof next, offset) != sizeof next) break;
        is_found = next.sh_type == SHT_SYMTAB;
    }
    close(descriptor);
    return is_found;
}

bool chain_symbol_name(const void *address, char *buffer, size_t size) {
    image image = {.address = (uintptr_t)address};
    dl_iterate_phdr(find_image, &image);
    errno = 0;
    if (!image.is_found) return false;
    int descriptor = open(image.path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    struct stat facts;
    bool is_found = false;
    int failure = 0;
    if (fstat(descriptor, &facts) != 0) {
        failure = errno;
    } else if (facts.st_size < (off_t)sizeof(Elf64_Ehdr)) {
        // The library may have been replaced by a file that is not written yet.
        failure = ENOEXEC;
    } else {
        size_t length = (size_t)facts.st_size;
        char *file = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (file == MAP_FAILED) {
            failure = errno;
        } else {
            uintptr_t offset = image.address - image.bias;
            is_found = find_symbol(file, length, SHT_SYMTAB, offset, buffer, size)
                || find_symbol(file, length, SHT_DYNSYM, offset, buffer, size);
            munmap(file, length);
        }
    }
    close(descriptor);
    errno = failure;
    return is_found;
}

bool chain_address_name(const void *address, char *buffer, size_t size) {
    image image = {.address = (uintptr_t)address};
    dl_iterate_phdr(find_image, &image);
    if (!image.is_found) return false;
    char path[4096] = "";
    if (readlink(image.path, path, sizeof path - 1) < 0) memcpy(path, image.path, sizeof path);
    const char *last = strrchr(path, '/');
    snprintf(buffer, size, "%s+0x%zx", last == NULL ? path : last + 1, (size_t)(image.address - image.bias));
    return true;
}

const void *chain_image_base(const void *address) {
    image image = {.address = (uintptr_t)address};
    dl_iterate_phdr(find_image, &image);
    return image.is_found ? image.begin : NULL;
}

#else

bool chain_program_has_symbols(void) { return true; }
bool chain_symbol_name(const void *address, char *buffer, size_t size) {
    (void)address, (void)buffer, (void)size;
    errno = 0;
    return false;
}
const void *chain_image_base(const void *address) { (void)address; return NULL; }
bool chain_address_name(const void *address, char *buffer, size_t size) {
    (void)address, (void)buffer, (void)size;
    return false;
}

#endif
