import ArgumentParser
import CatalogEngine
import CatalogModel
import CatalogStore
import Dispatch
import EventLog
import Foundation
import LibC
import Projections
import Support

#if canImport(Glibc)
  import CGlibc
#endif

extension CatalogProgram {
  /// Runs the program with these arguments and ends the process.
  ///
  /// Not asynchronous: `head` needs no thread beside the first, and two of them and an event loop would be a
  /// sixth of its time.
  public func run(_ arguments: some Collection<String>) -> Never {
    let arguments = Array(arguments)
    // A reader that closed the pipe early (`| head`) ends the program without an error.
    signal(SIGPIPE, SIG_DFL)
    // Whoever started this one may have it blocked.
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_UNBLOCK, &pipe, nil)
    // A limit on the size of files is an error of the write that meets it, not the end of the process.
    signal(SIGXFSZ, SIG_IGN)
    #if canImport(Glibc)
      // Otherwise glibc keeps arrays that have grown: 25 MB of an import of a million rows.
      mallopt(M_MMAP_THRESHOLD, 1 << 20)
    #endif
    if let place = Self.malformedArgument() {
      Console.standard.failure("Error: argument \(place) is not UTF-8; write it in UTF-8")
      Self.end(ExitStatus.usage.rawValue)
    }
    if let status = statusOfHead(arguments, console: .standard) { finish(status) }
    if let problem = OpenFiles.problem() ?? LimitedMemory.problem() {
      Console.standard.failure("\(ProgramName.current): \(problem)")
      Self.end(ExitStatus.error.rawValue)
    }
    Task { finish(await status(of: arguments, console: .standard)) }
    dispatchMain()
  }

  /// Ends the process, with an error also where some of the output was not written.
  private func finish(_ status: Int32) -> Never {
    var status = status
    if let reason = Console.outputFailure {
      Console.standard.failure(
        "\(ProgramName.current): cannot write to standard output: \(reason); the output is incomplete"
      )
      if status == ExitStatus.done.rawValue { status = ExitStatus.error.rawValue }
    }
    Self.end(status)
  }

  private static func end(_ status: Int32) -> Never {
    LibC.exit(status)
  }

  /// The first argument of this process that is no UTF-8: Swift would put other characters in its place.
  private static func malformedArgument() -> Int? {
    (1..<max(1, Int(CommandLine.argc))).first { index in
      CommandLine.unsafeArgv[index].map { String(validatingCString: $0) == nil } ?? false
    }
  }

  /// Runs the program with these arguments; everything it says goes to `console`.
  package func status(of arguments: [String], console: Console) async -> Int32 {
    if let status = statusOfHead(arguments, console: console) { return status }
    // Help of commands has this program's examples: they are looked up when a command is first asked for its name.
    return await Self.$current.withValue(self) {
      let typed = TypedArguments(arguments, of: root)
      let console = console.asking(
        isQuiet: typed.isQuiet, typed.shape, errorsAreJSON: typed.asksJSON)
      for note in typed.notes { console.note(note) }
      let help = HelpRequest(typed.words)
      let catalog =
        help.map { $0.isComplete ? nil : KindAtHand.find(by: arguments, of: self) } ?? nil
      return await RecoveryWords.$current.withValue(words) {
        await Console.$current.withValue(console) {
          await KindAtHand.$found.withValue(catalog) {
            if help == nil, let command = typed.incomplete {
              let place =
                command == root ? "" : " after \(command.configuration.commandName ?? "")"
              return report(
                ValidationError("a command is missing\(place)"), of: command, to: console)
            }
            return await run(typed.words, help, to: console)
          }
        }
      }
    }
  }

  /// - Parameter help: the help that the arguments ask for; nil if they ask for none.
  private func run(
    _ arguments: [String], _ help: HelpRequest?, to console: Console
  ) async -> Int32 {
    var arguments = arguments
    if let script = CompletionScript(of: root, for: arguments) {
      console.write(verbatim: script.text)
      return console.status(.done).rawValue
    }
    if let help {
      if help.isOfNames {
        writeNames(to: console)
        return console.status(.done).rawValue
      }
      if help.command.isEmpty, let shown = KindAtHand.current?.help?.root {
        return report(CleanExit.helpRequest(shown), of: shown, from: shown, to: console)
      }
      // Without any word the program's own command runs: it need not be its help.
      if help.command.isEmpty, !arguments.isEmpty { arguments = ["--help"] }
      if let (here, other) = KindAtHand.current?.help?
        .command(insteadOf: help.command, of: helps)
      {
        console.note(
          "`\(here.joined(separator: " "))` does in this catalog what `\(other)` does in others"
        )
        arguments = here + ["--help"]
      } else if arguments.first == "help" {
        arguments = ["help"] + help.command
      }
    }
    if let unknown = UnknownCommand.find(in: arguments, of: root) {
      return report(ValidationError(unknown.message), of: unknown.parent, to: console)
    }
    var (asked, _) = named(by: arguments)
    do {
      var command = try await parsed(arguments, help)
      asked = type(of: command)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      return console.status(.done).rawValue
    } catch let exit as Exit {
      return console.status(exit.status).rawValue
    } catch {
      let path = Self.path(to: asked, from: root)
      let kind = path.lazy.compactMap { $0 as? any KindCommands.Type }.first
      let words = words(ofKind: kind?.kindName, path.dropFirst().first.flatMap(help(ofOnly:)))
      return RecoveryWords.$current.withValue(words) {
        let error =
          misplaced(error, asked, path, arguments) ?? missingCatalog(error, arguments)
          ?? unknownOption(error, asked, arguments) ?? error
        guard let wrong = error as? CatalogError, wrong.code == .wrongKind else {
          return report(error, of: asked, to: console)
        }
        // A log of another kind in the place of a catalog's is another log.
        if let directory = CatalogLocation.named(by: arguments[...]),
          let lost = try? LostEvents.find(in: directory)
        {
          return report(lost, of: asked, to: console)
        }
        var failure = CommandFailure(wrong)
        let (advice, commands) = advice(insteadOf: path, at: arguments)
        failure.add(advice, naming: commands)
        return report(failure, usage: nil, to: console)
      }
    }
  }

  /// Writes the names of the commands that help lists here, with a tab and a sentence after each.
  private func writeNames(to console: Console) {
    let shown = KindAtHand.current?.help?.root ?? root
    for command in shown.configuration.subcommands where command.configuration.shouldDisplay {
      console.write(
        document:
          "\(command.configuration.commandName ?? "")\t\(command.configuration.abstract)\n")
    }
    console.write(document: "help\tShow subcommand help information.\n")
  }

  /// The command that the arguments name, parsed alone where that gives it: the parser makes a tree of all commands
  /// else, and each type in it costs. Where help is wanted, or something is wrong, the parser of the whole program says
  /// so.
  ///
  /// - Parameter help: the help that the arguments ask for; nil if they ask for none.
  private func parsed(
    _ arguments: [String], _ help: HelpRequest?
  ) async throws -> any ParsableCommand {
    var rest = arguments[...]
    if help != nil, rest.first == "help" { rest = rest.dropFirst() + ["--help"] }
    if let variant = try variant(for: rest, isHelp: help != nil) {
      return try await variant.command.asyncParseAsRoot(Array(rest.dropFirst()))
    }
    let named: any ParsableCommand.Type
    (named, rest) = self.named(by: arguments)
    if named.configuration.subcommands.isEmpty {
      let command =
        if let named = named as? any AsyncParsableCommand.Type {
          try? await named.asyncParseAsRoot(Array(rest))
        } else {
          try? named.parseAsRoot(Array(rest))
        }
      if let command, type(of: command) == named { return command }
    }
    return try await root.asyncParseAsRoot(arguments)
  }

  /// The command that takes the place of the one that arguments name; nil if none does.
  private func variant(for arguments: ArraySlice<String>, isHelp: Bool) throws -> CommandVariant? {
    guard let name = arguments.first else { return nil }
    let rest = arguments.dropFirst()
    return try variants.first { variant in
      guard variant.command.configuration.commandName == name else { return false }
      return isHelp ? variant.isMeant(byHelpAfter: rest) : try variant.isMeant(by: rest, kinds)
    }
  }

  /// Says which command does in the catalog that arguments name what another one was asked to do, and which commands there
  /// are; nothing if the kind of the catalog is not known.
  ///
  /// - Parameter path: the program and the commands down to the one that ran.
  /// - Returns: sentences, and the commands that they name.
  private func advice(
    insteadOf path: [any ParsableCommand.Type], at arguments: [String]
  ) -> (sentences: [String], commands: [String]) {
    guard let directory = CatalogLocation.named(by: arguments[...]),
      let reader = try? directory.existingLog(),
      let kind = try? kinds.knownKind(of: reader, besides: directory.database)
    else { return ([], []) }
    let here = helps.first { $0.isMeant(kind) }
    let words = path.dropFirst().map { $0.configuration.commandName ?? "" }.joined(separator: " ")
    let others = here?.commands(insteadOf: words, of: helps) ?? []
    var advice: [String] = []
    let commands = others.map { "\(ProgramName.current) \($0)" }
    if !others.isEmpty {
      let names = commands.map { "`\($0)`" }.joined(separator: " and ")
      advice.append("\(names) \(others.count == 1 ? "does" : "do") that in this catalog")
    }
    let groups = root.configuration.subcommands.compactMap { $0 as? any KindCommands.Type }
    if let own = groups.first(where: { $0.kindName == kind.name })?.configuration.commandName {
      advice.append("`\(ProgramName.current) \(own) --help` lists the commands of this kind")
    } else if kind is any SelfDescribingKind {
      advice.append(
        "`\(ProgramName.current) tables`, `rows`, `import` and `record` are for catalogs of this kind"
      )
    } else if here != nil {
      advice.append("`\(ProgramName.current) help` lists the commands of this kind")
    }
    return (advice, commands)
  }

  /// The error about arguments that are those of a command of another kind of catalog, or about a document that belongs to
  /// another kind or another command: what is wrong with them is of no use then.
  ///
  /// - Returns: nil if the error is another one, or catalog and command are right for the document.
  private func misplaced(
    _ error: any Error, _ command: any ParsableCommand.Type, _ path: [any ParsableCommand.Type],
    _ arguments: [String]
  ) -> (any Error)? {
    let document = error as? DocumentError
    guard document != nil || root.exitCode(for: error) == .validationFailure else { return nil }
    let kind = CatalogLocation.named(by: arguments[...]).flatMap(kinds.kindAtOnce(of:))
    // Wrong usage of a command that takes the place of another kind's is not about that one.
    guard let kind, let help = path.dropFirst().first.flatMap(help(ofOnly:)), !help.isMeant(kind),
      document != nil || (try? variant(for: arguments[...], isHelp: false)) == nil
    else { return document.flatMap { misread($0, by: command, arguments, in: kind) } }
    let own = kinds.named(where: help.isMeant)
    return CatalogError(
      .wrongKind,
      "this is a catalog of kind \"\(kind.name)\"" + (own.map { ", not \"\($0)\"" } ?? ""))
  }

  /// The error about an option that a command does not have, if the parser took its value for an argument.
  ///
  /// - Returns: nil if the error is another one.
  private func unknownOption(
    _ error: any Error, _ command: any ParsableCommand.Type, _ arguments: [String]
  ) -> (any Error)? {
    guard root.exitCode(for: error) == .validationFailure,
      command.message(for: error).contains("is invalid for '<")
    else { return nil }
    let known = Set(
      command.helpMessage(includeHidden: true).split { " ,\n[]".contains($0) }.map(String.init))
    let option = arguments.lazy.compactMap { $0.split(separator: "=").first.map(String.init) }
      .first { $0.hasPrefix("--") && $0.count > 2 && !known.contains($0) }
    return option.map { ValidationError("Unknown option '\($0)'") }
  }

  /// The error about arguments that would be right in a catalog of another kind, if the folder has none: its name may be mistyped.
  ///
  /// - Returns: nil if the error is another one, or if there is a catalog.
  private func missingCatalog(_ error: any Error, _ arguments: [String]) -> (any Error)? {
    guard root.exitCode(for: error) == .validationFailure, let name = arguments.first,
      let directory = CatalogLocation.named(by: arguments[...]),
      !FileManager.default.fileExists(atPath: directory.database),
      (try? directory.store().exists()) == false,
      variants.contains(where: { variant in
        guard case .kind = variant.condition else { return false }
        return variant.command.configuration.commandName == name
          && (try? variant.command.parseAsRoot(Array(arguments.dropFirst()))) != nil
      })
    else { return nil }
    return CatalogError(
      .noCatalog,
      "there is no catalog in \(directory.path): name the folder of one, or `\(ProgramName.current) init` makes one there"
    )
  }

  /// The help of the kinds whose catalogs alone have a command below the program; nil if several have it.
  private func help(ofOnly command: any ParsableCommand.Type) -> KindHelp? {
    let found = helps.filter { help in
      help.root.configuration.subcommands.contains { $0 == command }
    }
    return found.count == 1 ? found[0] : nil
  }

  /// The command that arguments name, and those after its name.
  private func named(
    by arguments: [String]
  ) -> (command: any ParsableCommand.Type, rest: ArraySlice<String>) {
    var (command, rest) = (root as any ParsableCommand.Type, arguments[...])
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: {
        $0.configuration.commandName == word
      })
    {
      command = next
      rest.removeFirst()
    }
    return (command, rest)
  }

  /// Runs a plain `head`; nil if the arguments ask for something else.
  private func statusOfHead(_ arguments: [String], console: Console) -> Int32? {
    guard let head = HeadFastPath(arguments) else { return nil }
    let console = console.asking(
      isQuiet: false, .indented, errorsAreJSON: head.format == .json)
    return Console.$current.withValue(console) {
      do {
        try HeadCommand.show(head.catalog, head.format)
        return console.status(.done).rawValue
      } catch {
        return RecoveryWords.$current.withValue(words) {
          report(error, of: HeadCommand.self, to: console)
        }
      }
    }
  }

  /// Wrong usage that shows only when a command runs: the parser would give its usage without the words
  /// before its name.
  private func usage(of command: any ParsableCommand.Type) -> String {
    let path = Self.path(to: command, from: root)
    guard path.isEmpty else {
      let name = path.map { $0.configuration.commandName ?? "" }.joined(separator: " ")
      return """
        Usage: \(root.usageString(for: command))
          See '\(name) --help' for more information.
        """
    }
    // A command that takes the place of another one is not below the program.
    return """
      Usage: \(command.usageString().replacing("\n", with: "\n       "))
        See '\(ProgramName.current) \(command.configuration.commandName ?? "") --help' for more information.
      """
  }

  /// The commands above a command, and itself; none if it is not below `parent`.
  static func path(
    to command: any ParsableCommand.Type, from parent: any ParsableCommand.Type
  ) -> [any ParsableCommand.Type] {
    if parent == command { return [parent] }
    for child in parent.configuration.subcommands {
      let path = path(to: command, from: child)
      if !path.isEmpty { return [parent] + path }
    }
    return []
  }

  /// Says what went wrong and returns the exit status for it.
  ///
  /// - Parameters:
  ///   - command: what was running, whose usage is shown where it was used wrongly.
  ///   - top: the program as help shows it; nil if that is the program itself.
  private func report(
    _ error: any Error, of command: any ParsableCommand.Type,
    from top: (any ParsableCommand.Type)? = nil, to console: Console
  ) -> Int32 {
    let error = StoreError(ofSQLite: error) ?? error
    if let error = error as? ValidationError {
      return report(
        CommandFailure(.usage, "usage", [error.message]), usage: usage(of: command), to: console)
    }
    let code = command.exitCode(for: error)
    if code == .success {
      console.write(verbatim: (top ?? root).fullMessage(for: error) + "\n")
      return ExitStatus.done.rawValue
    }
    if code == .validationFailure {
      // The parser's own: its first line has what a person typed, the rest is help and usage.
      let text = command.fullMessage(for: error)
      let usage =
        ["\nHelp: ", "\nUsage: "].compactMap { text.range(of: $0, options: .backwards)?.lowerBound }
        .min() ?? text.endIndex
      let words = ParserMessage(String(text[..<usage]), help: command.helpMessage())
      return report(
        CommandFailure(.usage, "usage", [words.text.droppingPrefix("Error: ")]),
        // Without any argument the parser prints the help in the place of the usage.
        usage: usage == text.endIndex
          ? self.usage(of: command) : Self.usage(String(text[usage...].dropFirst())),
        to: console)
    }
    return report(CommandFailure(error), usage: nil, to: console)
  }

  /// The parser's usage with the program's name: a command that takes the place of another one is parsed without the program above it.
  private static func usage(_ text: String) -> String {
    let (mark, program) = ("See '", ProgramName.current)
    guard let range = text.range(of: mark, options: .backwards),
      !text[range.upperBound...].hasPrefix(program + " ")
    else { return text }
    return text.replacingCharacters(in: range, with: "\(mark)\(program) ")
  }

  /// Writes what ended a command, as the reader of its output wants it.
  ///
  /// - Parameter usage: of the command; nil if it was not used wrongly.
  private func report(_ failure: CommandFailure, usage: String?, to console: Console) -> Int32 {
    var failure = failure
    failure.status = console.status(failure.status)
    if console.errorsAreJSON, (try? console.failure(failure.objects)) != nil {
      return failure.status.rawValue
    }
    if failure.isLoss, console.hasWarnedOfLoss {
      // The warning said which events are lost.
      let nothing = "; nothing was appended"
      failure.lines[0] =
        "this cannot be done until the log has these events again, or they are given up"
        + (failure.lines[0].hasSuffix(nothing) ? nothing : "")
    }
    if let usage {
      console.failure("Error: \(failure.lines[0])", usage: usage)
    } else {
      console.failure("\(ProgramName.current): \(failure.lines[0])")
    }
    for line in failure.lines.dropFirst() {
      // A fault of a document begins with its file.
      if failure.isOfDocument {
        console.error(line)
      } else {
        console.failure("\(ProgramName.current): \(line)")
      }
    }
    for line in failure.advice { console.error(line) }
    return failure.status.rawValue
  }
}

extension String {
  fileprivate func droppingPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
