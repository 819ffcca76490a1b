// SPDX-License-Identifier: MIT

extension Chain {
    /// Continues with an API that calls back: the handler calls the API with the value. The node is settled when its
    /// ``Resolver`` is called, in the handler or later (<doc:TheRules>, P9; MICAcom's `then_`).
    ///
    ///     let counted = Chain().thenCallback(to: Int.self) { _, resolver in
    ///         count(words, completion: resolver.completion.value)
    ///     }
    ///
    /// A throw rejects the node. If the resolver is released without a call, the node is abandoned (<doc:TheRules>,
    /// S2).
    ///
    /// - Parameter type: The type of the new value, for closures of several statements, from which the compiler does
    ///   not infer the type.
    public func thenCallback<NewValue: Sendable>(
        to type: NewValue.Type = NewValue.self, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ onFulfilled: @escaping @Sendable (Output, Resolver<NewValue>) throws -> Void
    ) -> Chain<Input, NewValue> {
        link { $0.thenCallback(to: type, label: label, on: executor, file: file, line: line, onFulfilled) }
    }
}
