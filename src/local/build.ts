import { parseArgs } from 'node:util'
import { areCurrent, build, documents, pages } from './assets.ts'
import { step } from './steps.ts'
import { provideServices } from './wrangler-dev.ts'

const help = `Builds what the Worker serves as files into dist/assets: the pages for people, /docs and /admin, and the
published documents (OpenAPI, Hydra, contexts) of every version.

  npm run build -- [--force] [--documents]

  --force       builds them even when nothing has changed
  --documents   leaves the pages as they are
  --help        this text
`

const { values } = parseArgs({
  options: {
    force: { type: 'boolean', default: false },
    documents: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
// An exit, so that what was half built is removed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
if (values.help) process.stdout.write(help)
else {
  await provideServices()
  for (const assets of values.documents ? [documents] : [documents, pages]) {
    if (values.force || !areCurrent(assets)) await step(assets.name, () => build(assets))
  }
}
