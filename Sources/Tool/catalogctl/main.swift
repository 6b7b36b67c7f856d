import EngineCommands
import SoundLibraryCommands

CatalogControl.program.run(CommandLine.arguments.dropFirst())
