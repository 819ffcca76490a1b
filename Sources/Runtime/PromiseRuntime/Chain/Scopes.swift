// SPDX-License-Identifier: MIT

// Members of `Chain`, because a global `async` or `launch` would be visible in every file that imports the module.
extension Chain where Input == Void {
    /// Launches the chain that `describe` returns, and forgets the launch (<doc:TheRules>, C1). Example:
    /// `Chain.launch { Chain() … }`.
    ///
    /// `describe` is called at once, on the calling thread. It only describes the chain: the handlers run later.
    public static func launch(
        label: String = "", file: StaticString = #fileID, line: UInt = #line, _ describe: () throws -> Chain
    ) rethrows {
        try describe().launch(label: label, file: file, line: line)
    }

    /// Launches the chain that `describe` returns, and returns an awaiter of its outcome (<doc:TheRules>, C1).
    ///
    /// `describe` is called at once, on the calling thread. It only describes the chain: the handlers run later.
    public static func async(
        label: String = "", file: StaticString = #fileID, line: UInt = #line, _ describe: () throws -> Chain
    ) rethrows -> Awaiter<Output> {
        try describe().async(label: label, file: file, line: line)
    }
}
