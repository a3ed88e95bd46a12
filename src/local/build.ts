import { areCurrent, build, documents, pages } from './assets.ts'
import { command, flag, runHere } from './cli/command.ts'
import { step } from './cli/output.ts'
import { provideServices } from './wrangler.ts'

/** `npm run build`. */
export const buildCommand = command({
  name: 'build',
  summary:
    'Builds the static files of the Worker into dist/assets: the pages /docs and /admin, and the published documents (OpenAPI, Hydra, contexts) of all versions.',
  examples: ['npm run build'],
  options: {
    force: flag('builds all files, also if nothing changed'),
    documents: flag('builds only the published documents'),
  },
  async run({ force, documents: isOnlyDocuments }) {
    // The exit removes unfinished files.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
    await provideServices()
    for (const assets of isOnlyDocuments ? [documents] : [documents, pages]) {
      if (force || !areCurrent(assets)) await step(assets.name, () => build(assets))
    }
    return 0
  },
})

if (import.meta.main) await runHere(buildCommand)
