import ArgumentParser

/// A script with which a shell completes command lines: the parser's, but that it offers the commands of the catalog at hand, which
/// `help --names` lists.
struct CompletionScript {
  let text: String

  /// - Parameters:
  ///   - root: the command above all others.
  ///   - arguments: those of the program, without its name.
  /// - Returns: nil if they do not ask for a script of a shell that is known: the parser says why.
  init?(of root: any ParsableCommand.Type, for arguments: [String]) {
    guard arguments.first == "--generate-completion-script", arguments.count <= 2,
      let shell = arguments.count == 2
        ? CompletionShell(rawValue: arguments[1]) : CompletionShell.autodetected()
    else { return nil }
    let (script, name) = (root.completionScript(for: shell), ProgramName.current)
    text =
      switch shell {
      case .bash: Self.bash(script, name)
      case .zsh: Self.zsh(script) ?? script
      case .fish: Self.fish(script, name) ?? script
      default: script
      }
  }

  /// Leaves those of the offered commands that work in the catalog. A name that ends with = has no space after it, as a value
  /// follows.
  private static func bash(_ script: String, _ name: String) -> String {
    let start = "complete -o filenames -F "
    guard let last = script.split(separator: "\n").last(where: { $0.hasPrefix(start) }),
      let function = last.dropFirst(start.count).split(separator: " ").first
    else { return script }
    return script + """


      _\(function)_here() {
          \(function) "${@}"
          if [[ "${COMP_CWORD}" -eq 1 ]]; then
              local -r here=$'\\n'"$("${COMP_WORDS[0]}" help --names 2>/dev/null)"
              local -i index
              if [[ "${#here}" -gt 1 ]]; then
                  for index in "${!COMPREPLY[@]}"; do
                      case "${COMPREPLY[index]}" in
                      -*) ;;
                      *) [[ "${here}" == *$'\\n'"${COMPREPLY[index]}"$'\\t'* ]] || unset "COMPREPLY[index]" ;;
                      esac
                  done
                  COMPREPLY=("${COMPREPLY[@]}")
              fi
          fi
          if [[ "${COMPREPLY[0]}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
      }

      complete -o filenames -F _\(function)_here \(name)

      """
  }

  /// Leaves those of the first list, which has the program's own commands, that work in the catalog.
  ///
  /// - Returns: nil if the script has no such list.
  private static func zsh(_ script: String) -> String? {
    guard let list = script.firstRange(of: "local -ar subcommands=("),
      let use = script[list.upperBound...].firstMatch(
        of: /(?m)^(?<indent> *)_describe -V subcommand subcommands/)
    else { return nil }
    let lines = [
      #"local -a here=(${(f)"$("${command_name}" help --names 2>/dev/null)"})"#,
      #"here=(${here%%$'\t'*})"#,
      #"local pattern="(${(j:|:)here}):*""#,
      "[[ ${#here} -eq 0 ]] || subcommands=(${(M)subcommands:#${~pattern}})",
    ]
    return script[..<list.lowerBound] + "local -a subcommands=("
      + script[list.upperBound..<use.range.lowerBound]
      + lines.map { "\(use.output.indent)\($0)\n" }.joined() + script[use.range.lowerBound...]
  }

  /// Offers what the program lists instead of a list of all commands.
  ///
  /// - Returns: nil if the script has no such list.
  private static func fish(_ script: String, _ name: String) -> String? {
    var lines = script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let isCommand = { (line: String) in
      line.contains("_positional \"\(name)\" -eq 1' -fa '") && line.contains("' -d '")
    }
    guard let first = lines.firstIndex(where: isCommand),
      let condition = lines[first].firstRange(of: " -fa ")
    else { return nil }
    let line = lines[first][..<condition.upperBound] + "'(\(name) help --names 2>/dev/null)'"
    lines.removeAll(where: isCommand)
    lines.insert(String(line), at: first)
    return lines.joined(separator: "\n")
  }
}
