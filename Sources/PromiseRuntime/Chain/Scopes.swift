import ChainEvents

/// Launches the chain that `describe` gives, and forgets it (<doc:TheRules>, C1): `launch { Chain().then { … } }`.
///
/// `describe` is called at once, on the calling thread; it describes, the handlers run later.
public func launch<Output: Sendable>(
    label: String = "", file: StaticString = #fileID, line: UInt = #line, _ describe: () throws -> Chain<Void, Output>
) rethrows {
    try describe().launch(label: label, file: file, line: line)
}

/// Launches the chain that `describe` gives, and gives something to wait for its outcome with (<doc:TheRules>, C1).
///
/// `describe` is called at once, on the calling thread; it describes, the handlers run later.
public func async<Output: Sendable>(
    label: String = "", file: StaticString = #fileID, line: UInt = #line, _ describe: () throws -> Chain<Void, Output>
) rethrows -> Awaiter<Output> {
    try describe().async(label: label, file: file, line: line)
}
