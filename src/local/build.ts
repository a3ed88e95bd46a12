import { parseArgs } from 'node:util'
import { areAssetsCurrent, buildAssets } from './assets.ts'
import { step } from './steps.ts'

const help = `Builds the pages for people, /docs and /admin, into dist/assets.

  npm run build -- [--force]

  --force   builds them even when nothing has changed
  --help    this text
`

const { values } = parseArgs({
  options: { force: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
})
// An exit, so that what was half built is removed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
if (values.help) process.stdout.write(help)
else if (values.force || !areAssetsCurrent()) await step('Pages', buildAssets)
