import CatalogEngine
import Projections

extension CommandVariant {
  /// Whether the command runs for the arguments after its name.
  func isMeant(by arguments: ArraySlice<String>, _ kinds: KnownKinds) -> Bool {
    switch condition {
    case .options(let options):
      return arguments.contains { argument in
        options.contains { argument == $0 || argument.hasPrefix($0 + "=") }
      }
    case .arguments(let isMeant): return isMeant(arguments)
    case .kind(let isMeant):
      // What is wrong with the catalog, the command that runs reports.
      guard let directory = CatalogLocation.named(by: arguments),
        let reader = try? directory.existingLog(),
        let kind = try? kinds.knownKind(of: reader, besides: directory.database)
      else { return false }
      return isMeant(kind)
    }
  }
}

extension CatalogLocation {
  /// The folder that arguments name, or the usual one.
  static func named(by arguments: ArraySlice<String>) -> CatalogDirectory? {
    var arguments = arguments
    var named: String?
    while let argument = arguments.popFirst() {
      if argument == "--catalog" {
        named = arguments.first
      } else if argument.hasPrefix("--catalog=") {
        named = String(argument.dropFirst("--catalog=".count))
      }
    }
    return try? directory(named)
  }
}
