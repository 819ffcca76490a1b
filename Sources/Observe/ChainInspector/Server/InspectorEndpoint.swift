// SPDX-License-Identifier: MIT

/// An endpoint at which an ``Inspector`` listens for viewers.
public enum InspectorEndpoint: Hashable, Sendable {
    /// A socket in ``InspectorOptions/socketFolder``, by default the user's own folder, where `chainview` looks for it.
    case unix
    /// A socket at an absolute path, in a folder of the user that no other user may write to. A file at that path is
    /// kept, unless it is a socket on which no program listens.
    case unixPath(String)
    /// A port of this machine's loopback address, which is 127.0.0.1, or ::1 where only that exists; 0 for any free
    /// port. Other users of the machine can reach it, so a viewer has to send the token in the file `tcp-PORT.token` of
    /// ``InspectorOptions/socketFolder``, which only the user can read. The token is new at each start; viewers ignore
    /// the file once the program no longer has the file locked.
    case tcp(port: UInt16)
}
