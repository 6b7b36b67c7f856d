public import ArgumentParser
public import Projections

/// The help of a program in a catalog of one kind: which commands work there, and which does what.
///
/// ```swift
/// KindHelp(ShelfHelp.self, tasks: ["list": ["shelf list"]], if: { $0.name == "bookshelf" })
/// ```
public struct KindHelp: Sendable {
  /// A table and a column of it for examples.
  public struct Subject: Sendable {
    let table: String
    let key: [String]
    let column: String?

    /// - Parameters:
    ///   - table: the name of a table that people know.
    ///   - key: the words for the values of a key of it.
    ///   - column: a column of texts; nil if it has none.
    public init(table: String, key: [String], column: String?) {
      self.table = table
      self.key = key
      self.column = column
    }
  }

  let root: any ParsableCommand.Type
  let tasks: [String: [String]]
  let beginning: String?
  let subject: Subject?
  let examples: [String: [String]]
  let documents: [KnownDocument]
  let readsAny: Set<String>
  let isMeant: @Sendable (any CatalogKind) -> Bool

  /// - Parameters:
  ///   - root: has the name of the program and, as subcommands, those that work on a catalog of the kind. Its help is the
  ///     program's in such a catalog; `KindAtHand.current` has the catalog then.
  ///   - tasks: the commands that do a task, without the program's name, by the task. The same task has the same name in
  ///     the help of each kind: an error about a command of another kind names the command that does its task here.
  ///   - beginning: how a catalog of the kind begins, as the end of the sentence "there is no catalog in DIR; …". Without it
  ///     the program says what it says of any.
  ///   - subject: what examples are about; without one, a table that is found in the schema.
  ///   - examples: lines to type that help shows with commands of the engine instead of those about the subject, by the
  ///     command's name.
  ///   - documents: what commands of the kind read.
  ///   - readsAny: the commands that read documents of any shape: an error lists the faults, whatever the document is.
  ///   - isMeant: whether it is about a kind.
  public init(
    _ root: any ParsableCommand.Type, tasks: [String: [String]], beginning: String? = nil,
    subject: Subject? = nil, examples: [String: [String]] = [:],
    documents: [KnownDocument] = [], readsAny: Set<String> = [],
    if isMeant: @escaping @Sendable (any CatalogKind) -> Bool
  ) {
    self.root = root
    self.tasks = tasks
    self.beginning = beginning
    self.subject = subject
    self.examples = examples
    self.documents = documents
    self.readsAny = readsAny
    self.isMeant = isMeant
  }

  /// The tasks that a command does.
  ///
  /// - Parameter words: the command, without the program's name.
  func tasks(of words: String) -> [String] {
    tasks.filter { $0.value.contains(words) }.keys.sorted()
  }

  /// The command that does in a catalog of this kind what another one does in those of others.
  ///
  /// - Parameters:
  ///   - words: the other command, without the program's name, and what a person typed after it.
  ///   - helps: those of all kinds.
  /// - Returns: the command here, and the other one without what was typed after it; nil if the other command works here, too, or if
  ///   nothing does its task.
  func command(
    insteadOf words: [String], of helps: [KindHelp]
  ) -> (here: [String], other: String)? {
    guard let name = words.first,
      !root.configuration.subcommands.contains(where: { $0.configuration.commandName == name })
    else { return nil }
    for count in (1...words.count).reversed() {
      let other = words.prefix(count).joined(separator: " ")
      guard let here = commands(insteadOf: other, of: helps).first else { continue }
      return (here.split(separator: " ").map(String.init), other)
    }
    return nil
  }

  /// The commands here, without the program's name, that do the first task of a command of another kind that has any here.
  func commands(insteadOf words: String, of helps: [KindHelp]) -> [String] {
    Set(helps.flatMap { $0.tasks(of: words) }).sorted().lazy.compactMap { tasks[$0] }.first ?? []
  }
}

/// The catalog that a command line is about, while help is shown.
public struct KindAtHand: Sendable {
  @TaskLocal static var found: KindAtHand?

  /// Nil if there is no such catalog, if its kind is not known, or if no help is shown.
  public static var current: KindAtHand? { found }

  public let kind: any CatalogKind
  /// The path of the catalog's folder.
  public let folder: String
  let help: KindHelp?
  /// Lines to type, by the command's name.
  let examples: [String: [String]]

  init(_ kind: any CatalogKind, in folder: String, of program: CatalogProgram) {
    self.kind = kind
    self.folder = folder
    help = program.helps.first { $0.isMeant(kind) }
    let subject = help?.subject ?? KindHelp.Subject(of: kind.schema)
    // A program without help of the kind has examples of its only one.
    examples = (subject?.examples ?? [:]).merging(help?.examples ?? program.examples) { $1 }
  }
}
