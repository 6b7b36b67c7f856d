/// Lifts payloads of older versions, one version at a time, up to the newest.
///
/// Old events are never rewritten: a new version of a type comes with a function that turns the old
/// payload into the new one, and every log that a release could write stays readable.
public struct Upcasters: Sendable {
  /// Turns `data` of one version into `data` of the next.
  public typealias Lift = @Sendable (JSONValue) throws -> JSONValue

  private struct Step: Hashable {
    let type: String
    let version: Int64
  }

  private var lifts: [Step: Lift] = [:]

  public init() {}

  /// Adds the step from `version` of `type` to the next.
  public mutating func register(
    _ type: some EventTypeName, from version: Int64, _ lift: @escaping Lift
  ) {
    precondition(version < type.version, "an upcaster starts below the newest version")
    let former = lifts.updateValue(lift, forKey: Step(type: type.rawValue, version: version))
    precondition(former == nil, "there is one upcaster a version")
  }

  /// The payload in the newest version; nil if a step is missing.
  func lift(
    _ data: JSONValue, of type: some EventTypeName, from version: Int64
  ) throws -> JSONValue? {
    var data = data
    var version = version
    while version < type.version {
      guard let lift = lifts[Step(type: type.rawValue, version: version)] else { return nil }
      data = try lift(data)
      version += 1
    }
    return data
  }
}
