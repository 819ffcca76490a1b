/// Where text goes: a file, standard output, a test.
package typealias TextOutput = (String) throws -> Void
