import ArgumentParser
import CatalogEngine
import CatalogModel
import Projections

/// A document that commands of a kind read. If a command of another kind is given it, the error says what it is and which command
/// reads it, instead of its faults as something else.
///
/// ```swift
/// KnownDocument("a seed", .members(["seedId"]), readers: ["import"], beginning: "init --kind sound-library")
/// ```
public struct KnownDocument: Sendable {
  /// A sign that tells a document from others.
  public enum Mark: Sendable {
    /// A JSON object that has all of these members.
    case members(Set<String>)
    /// A document that is not JSON, in a file whose name has one of these endings, in small letters, before that of a compression.
    case endings([String])
    /// A document that begins with this text.
    case beginning(String)
  }

  /// After "this is ": `a seed of a sound library`.
  let name: String
  let mark: Mark
  let readers: [String]
  let otherReaders: Set<String>
  let beginning: String?

  /// - Parameters:
  ///   - name: what it is, as the end of the sentence "this is …".
  ///   - mark: what tells it from others.
  ///   - readers: the commands that read it, without the program's name. Errors name the first one, with what is after its
  ///     name: `import NAME=FILE`.
  ///   - otherReaders: commands of other kinds that read it, too, and say what is wrong with it.
  ///   - beginning: the command that makes a catalog for it; nil if the first reader makes one of it.
  public init(
    _ name: String, _ mark: Mark, readers: [String], otherReaders: Set<String> = [],
    beginning: String? = nil
  ) {
    self.name = name
    self.mark = mark
    self.readers = readers
    self.otherReaders = otherReaders
    self.beginning = beginning
  }

  /// Whether it is the document of a file that a command could not read.
  fileprivate func isMeant(by contents: MisreadDocument) -> Bool {
    switch mark {
    case .members(let members): members.isSubset(of: contents.members)
    case .endings(let endings):
      contents.isNoJSON
        && endings.contains(where: DocumentName.plain(contents.file).lowercased().hasSuffix)
    case .beginning(let text): contents.isNoJSON && contents.hasBeginning(text)
    }
  }

  fileprivate func isRead(by command: String) -> Bool {
    readers.contains { $0 == command || $0.hasPrefix(command + " ") }
  }

  /// How to read it.
  ///
  /// - Parameter isHere: whether the catalog at hand is of its kind.
  fileprivate func advice(isHere: Bool) -> String {
    let program = ProgramName.current
    let reader = "`\(program) \(readers[0])`"
    guard let beginning else { return "\(reader) makes a catalog of it" }
    let reads = "\(reader) reads it"
    if isHere { return reads }
    return "`\(program) \(beginning)` makes a catalog for it, and \(reads) there"
  }
}

/// A document that a command refused.
private struct MisreadDocument {
  let file: String
  /// The members of a JSON object; none of anything else.
  let members: Set<String>
  /// Whether it is no JSON, as the command found out.
  let isNoJSON: Bool

  func hasBeginning(_ text: String) -> Bool {
    (try? DocumentFile.open(file).beginning(text.utf8.count)).map { $0.elementsEqual(text.utf8) }
      ?? false
  }

  /// Larger documents are not read again for an error: 64 MiB.
  private static let sizeLimit = 64 << 20

  /// - Returns: nil if the fault says that the document is what it should be, or if it cannot be read again.
  init?(_ error: DocumentError) {
    switch error.code {
    case .invalidJSON, .unsupportedFormat, .wrongType, .missingKey, .unknownKey: file = error.file
    // Of a folder that is a document, the manifest says what it is.
    case .fileIsDirectory: file = error.file + "/manifest.json"
    default: return nil
    }
    // It cannot be read twice.
    guard error.file != DocumentFile.standardInputName else { return nil }
    let start = (try? DocumentFile.open(file).beginning(64)) ?? []
    let first = start.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    // JSON with a fault is not a table.
    isNoJSON =
      first.map { !Array("{[".utf8).contains($0) } == true
      && (error.code == .invalidJSON || error.code == .unsupportedFormat && error.path == nil)
    if !isNoJSON, let bytes = try? DocumentFile.load(file, limit: Self.sizeLimit),
      case .object(let members)? = try? JSONValue.parse(bytes)
    {
      self.members = Set(members.map(\.key))
    } else {
      members = []
    }
  }
}

extension CatalogProgram {
  /// The error about a document that another command reads, and not the one that ran.
  ///
  /// - Parameters:
  ///   - command: the one that ran.
  ///   - arguments: those of the program.
  ///   - kind: of the catalog at hand; nil if there is none.
  /// - Returns: nil if the command reads such documents, or if nothing is known to read it.
  func misread(
    _ error: DocumentError, by command: any ParsableCommand.Type, _ arguments: [String],
    in kind: (any CatalogKind)?
  ) -> DocumentError? {
    guard let contents = MisreadDocument(error) else { return nil }
    var found: (document: KnownDocument, help: KindHelp)?
    let path = Self.path(to: command, from: root).dropFirst()
      .map { $0.configuration.commandName ?? "" }.joined(separator: " ")
    for help in helps {
      let name = name(of: command, arguments, in: help)
      if let name, help.readsAny.contains(name) { return nil }
      for document in help.documents where document.isMeant(by: contents) {
        if let name, document.isRead(by: name) { return nil }
        if document.otherReaders.contains(path) { return nil }
        if found == nil { found = (document, help) }
      }
    }
    guard let (document, help) = found else { return nil }
    return DocumentError(
      code: .unsupportedFormat, file: contents.file, message: "this is \(document.name)",
      advice: document.advice(isHere: kind.map(help.isMeant) ?? false))
  }

  /// The name of a command in catalogs of a kind, of one that an option chooses with that option: `init --table`; nil if they do
  /// not have it.
  private func name(
    of command: any ParsableCommand.Type, _ arguments: [String], in help: KindHelp
  ) -> String? {
    let path = Self.path(to: command, from: help.root).dropFirst()
    guard path.isEmpty else {
      return path.map { $0.configuration.commandName ?? "" }.joined(separator: " ")
    }
    var name = ""
    let variant = variants.first {
      name = Self.path(to: command, from: $0.command)
        .map { $0.configuration.commandName ?? "" }.joined(separator: " ")
      return !name.isEmpty
    }
    guard let variant else { return nil }
    guard case .options(let options) = variant.condition else { return name }
    let option = options.first { option in
      arguments.contains { $0 == option || $0.hasPrefix(option + "=") }
    }
    return option.map { "\(name) \($0)" }
  }
}
