// SPDX-License-Identifier: MIT

import ChainSystem

/// A watch for new files in folders, as a descriptor to poll.
final class FolderWatch {
    /// The descriptor of `inotify`, or of a kernel queue.
    private let descriptor: Int32
    #if !os(Linux)
        /// The descriptors of the watched folders.
        private var folders: [Int32] = []
    #endif

    /// Watches the folders that exist; nil if no folder can be watched.
    init?(_ paths: [String]) {
        #if os(Linux)
            descriptor = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            // IN_CREATE, IN_MOVED_TO, IN_ONLYDIR, IN_DONT_FOLLOW.
            let events: UInt32 = 0x100 | 0x80 | 0x0100_0000 | 0x0200_0000
            let isWatching = paths.map { inotify_add_watch(descriptor, $0, events) >= 0 }.contains(true)
        #else
            descriptor = kqueue()
            guard descriptor >= 0 else { return nil }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            for path in paths {
                let folder = open(path, O_EVTONLY | O_CLOEXEC)
                guard folder >= 0 else { continue }
                folders.append(folder)
                var change = kevent(
                    ident: UInt(folder), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
                    fflags: UInt32(NOTE_WRITE), data: 0, udata: nil)
                _ = kevent(descriptor, &change, 1, nil, 0, nil)
            }
            let isWatching = !folders.isEmpty
        #endif
        // `deinit` closes the descriptors also if this fails.
        guard isWatching else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        #if !os(Linux)
            for folder in folders { close(folder) }
        #endif
    }

    var pollEntry: pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

    /// Discards the pending events, so that the descriptor is readable only after further changes.
    func drain() {
        #if os(Linux)
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
        #else
            var (event, none) = (kevent(), timespec())
            while kevent(descriptor, nil, 0, &event, 1, &none) > 0 {}
        #endif
    }
}
