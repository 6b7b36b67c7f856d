import CatalogEngine
import EventLog
import Projections

extension CommandVariant {
  /// Whether the command runs for the arguments after its name.
  ///
  /// - Throws: `EventLogError` if that depends on the kind of the catalog, and neither its log nor its database can tell it.
  func isMeant(by arguments: ArraySlice<String>, _ kinds: KnownKinds) throws -> Bool {
    switch condition {
    case .options(let options):
      return arguments.contains { argument in
        options.contains { argument == $0 || argument.hasPrefix($0 + "=") }
      }
    case .arguments(let isMeant): return isMeant(arguments)
    case .kind(let isMeant):
      let reader: any LogStore
      var database: String?
      if let events = CatalogLocation.value(of: "--events", in: arguments) {
        guard let store = try? HistoryOptions.store(ofEvents: events) else { return false }
        reader = store
      } else {
        guard let directory = CatalogLocation.named(by: arguments),
          let store = try? directory.store()
        else { return false }
        (reader, database) = (store, directory.database)
      }
      do {
        return try kinds.certainKind(of: reader, besides: database).map(isMeant) ?? false
      } catch is CatalogError {
        // The command that runs says that the kind is not known.
        return false
      } catch let error as EventLogError where !error.isDamage && !error.isSilence {
        // The command that runs says why the log cannot be read, and what to do.
        return false
      }
    }
  }
}

extension CommandVariant {
  /// Whether help of the command is help of the one that it takes the place of.
  func isMeant(byHelpAfter arguments: ArraySlice<String>) -> Bool {
    guard case .kind(let isMeant) = condition else {
      return (try? self.isMeant(by: arguments, KnownKinds([]))) ?? false
    }
    return KindAtHand.current.map { isMeant($0.kind) } ?? false
  }
}

extension CatalogLocation {
  /// The folder that arguments name, or the usual one.
  static func named(by arguments: ArraySlice<String>) -> CatalogDirectory? {
    try? directory(value(of: "--catalog", in: arguments))
  }

  /// The value of an option, the last one if it is there twice; nil if it is not there.
  static func value(of option: String, in arguments: ArraySlice<String>) -> String? {
    var arguments = arguments
    var named: String?
    while let argument = arguments.popFirst() {
      if argument == option {
        named = arguments.first
      } else if argument.hasPrefix(option + "=") {
        named = String(argument.dropFirst(option.count + 1))
      }
    }
    return named
  }
}
