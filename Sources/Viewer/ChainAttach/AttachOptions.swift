// SPDX-License-Identifier: MIT

/// The options of an attached process.
package struct AttachOptions: Sendable {
    /// Whether commands that change the program are refused, by this side and by the program.
    package var isReadOnly = false
    /// Whether a program that is missing at first is waited for, without a time limit.
    package var waits = false
    /// Whether the source ends with the first run that it attaches to, even if the target is a name or an address.
    /// After a lost connection the source reconnects only to a run that a pid identifies: a program of this machine, or
    /// `ssh:HOST/PID`. For any other target the loss ends the source.
    package var endsWithRun = false
    /// The viewer's name, as the program may show it.
    package var viewerName = ""
    /// The search for the program.
    package var discovery: Discovery

    /// Makes options that allow commands and do not wait for a missing program.
    package init(discovery: Discovery = Discovery()) { self.discovery = discovery }
}
