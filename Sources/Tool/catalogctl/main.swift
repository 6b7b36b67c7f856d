import CatalogControl
import EngineCommands

CatalogControl.program.run(CommandLine.arguments.dropFirst())
