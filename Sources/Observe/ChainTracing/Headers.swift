// SPDX-License-Identifier: MIT

#if Tracing
    import Tracing

    /// Headers between two tracers, in the order in which they were written.
    struct Headers {
        private var fields: [(name: String, value: String)] = []

        subscript(name: String) -> String? {
            get { fields.last { $0.name == name }?.value }
            set {
                let index = fields.lastIndex { $0.name == name }
                switch (index, newValue) {
                case (let index?, let value?): fields[index].value = value
                case (let index?, nil): fields.remove(at: index)
                case (nil, let value?): fields.append((name, value))
                case (nil, nil): break
                }
            }
        }

        /// The span that the headers name; nil without a valid `traceparent`.
        var trace: TraceContext? {
            guard var trace = self[TraceContext.parentHeader].flatMap({ TraceContext(header: $0) }) else { return nil }
            trace.state = self[TraceContext.stateHeader]
            return trace
        }

        func write<Inject: Injector>(to carrier: inout Inject.Carrier, _ injector: Inject) {
            for field in fields { injector.inject(field.value, forKey: field.name, into: &carrier) }
        }

        struct Access: Injector {
            func inject(_ value: String, forKey name: String, into headers: inout Headers) { headers[name] = value }
        }
    }
#endif
