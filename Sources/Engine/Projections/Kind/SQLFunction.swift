/// A function that a kind's SQL may call, in every connection to one of its databases.
public struct SQLFunction: Sendable {
  public let name: String
  public let argumentCount: Int
  /// Takes the arguments, and the folder of the catalog; what it throws is the statement's error.
  public let body: @Sendable (_ arguments: [Value], _ folder: String) throws -> Value

  public init(
    _ name: String, argumentCount: Int,
    _ body: @escaping @Sendable (_ arguments: [Value], _ folder: String) throws -> Value
  ) {
    self.name = name
    self.argumentCount = argumentCount
    self.body = body
  }
}
