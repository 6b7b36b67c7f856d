/// A show that is not in the library, where a change is about one that is.
public struct NotInLibrary: Error, Hashable, Sendable, CustomStringConvertible {
  public let show: String

  init(_ show: String) {
    self.show = show
  }

  public var description: String { "the show \(show) is not in the library" }
}

/// What a person wrote and the library does not keep.
public struct RefusedInput: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what to write instead.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
