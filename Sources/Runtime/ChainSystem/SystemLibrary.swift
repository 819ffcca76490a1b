// SPDX-License-Identifier: MIT

// The C library, by the name that it has on each system. It is exported, because every importer needs it too.
#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#else
    @_exported import Darwin
#endif
