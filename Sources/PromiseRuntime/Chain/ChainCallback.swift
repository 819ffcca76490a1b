import ChainEvents

extension Chain {
    /// Goes on with an API that calls back: the handler starts it with the value, and the node ends as its ``Resolver``
    /// is called, then or later (<doc:TheRules>, P9; MICAcom's `then_`).
    ///
    ///     let counted = Chain().thenCallback(to: Int.self) { _, resolver in
    ///         count(words, completion: resolver.completion.value)
    ///     }
    ///
    /// A throw rejects. A resolver that is released without a call abandons the node (<doc:TheRules>, S2).
    ///
    /// - Parameter type: for closures of several statements, in which the compiler finds no value's type by itself.
    public func thenCallback<NewValue: Sendable>(
        to type: NewValue.Type = NewValue.self, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ onFulfilled: @escaping @Sendable (Output, Resolver<NewValue>) throws -> Void
    ) -> Chain<Input, NewValue> {
        link { $0.thenCallback(to: type, label: label, on: executor, file: file, line: line, onFulfilled) }
    }
}
