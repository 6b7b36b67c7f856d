package import Testing

/// One sentence about what a user of the project, or a developer of it, can rely on, and the suite tests.
///
/// Tests do not read it. `Tools/check-promises` makes the table of docs/TESTING.md from the promises of all suites, and finds
/// suites without one. Suites that hold the same promise have the same sentence.
package struct Promise: SuiteTrait {
  package let sentence: String
  /// The method by which this suite tries to break the promise, if its name does not say it.
  package let method: String?
}

extension Trait where Self == Promise {
  /// - Parameters:
  ///   - sentence: the promise, as a string literal or several that are joined by `+`, without a full stop.
  ///   - method: how this suite tries it, in the same form.
  package static func promise(_ sentence: String, by method: String? = nil) -> Self {
    Promise(sentence: sentence, method: method)
  }
}
