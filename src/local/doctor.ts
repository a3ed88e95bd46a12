import { runHere } from './cli/command.ts'
import { doctorCommand } from './doctor/run.ts'

await runHere(doctorCommand)
