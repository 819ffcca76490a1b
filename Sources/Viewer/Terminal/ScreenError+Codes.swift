// SPDX-License-Identifier: MIT

import CTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension ScreenError {
    /// Returns the error for a code of CTerminal.
    static func of(_ code: Int) -> ScreenError {
        let name = getenv("TERM").map { String(cString: $0) } ?? ""
        let hint = "try TERM=xterm-256color, or --headless"
        switch code {
        case CT_NO_TERMINAL:
            return ScreenError(
                reason: .noTerminal,
                description: "Output is no terminal, or no terminal can be read: run it in one, or try --headless.")
        case CT_TERM_UNSET:
            return ScreenError(
                reason: .unsuitableTerminal,
                description: "TERM is not set, so it is not known which terminal this is: \(hint).")
        case CT_TERM_UNKNOWN:
            return ScreenError(
                reason: .unsuitableTerminal,
                description:
                    "There is no terminal description on this machine, neither for TERM=\(printable(name)) nor for "
                    + "xterm-256color: install ncurses-base or ncurses-terminfo, or try --headless.")
        case CT_TERM_DUMB:
            return ScreenError(
                reason: .unsuitableTerminal,
                description: "TERM=\(printable(name)) names a terminal that cannot place its cursor: \(hint).")
        case CT_IN_USE:
            return ScreenError(reason: .inUse, description: "This process has a screen open already: close that first.")
        case CT_GONE:
            return ScreenError(
                reason: .gone, description: "The terminal is gone (\(systemReason)): nothing more can be shown.")
        default:
            return ScreenError(
                reason: .system,
                description: "The terminal cannot be used (\(systemReason)): try another one, or --headless.")
        }
    }

    private static var systemReason: String { String(cString: strerror(ct_errno())) }

    private static func printable(_ name: String) -> String {
        String(name.unicodeScalars.prefix(40).map { $0.value >= 0x20 && $0.value < 0x7F ? Character($0) : "?" })
    }
}
