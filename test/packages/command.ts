/** `npm run packages`: the signatures of all installed packages, and the licences of those in production. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandOptions } from '../support/command-options.ts'
import { type Lock, licenceFaults } from './licences.ts'
import { signaturesOf } from './signatures.ts'

const values = commandOptions('packages', { help: { type: 'boolean' } })
if (values.help) {
  console.log(`npm run packages

Checks the registry's signatures of all installed packages, and the licences of the production dependencies.
An unreachable registry is reported and is no failure.
Exit code 0: no finding; 1: a finding.`)
  process.exit(0)
}

const root = join(import.meta.dirname, '../..')
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

const { packages }: { packages: Lock } = read('package-lock.json')
const licences = licenceFaults(packages, (folder) =>
  existsSync(join(root, folder)) ? read(`${folder}/package.json`).license : null,
)

const args = ['audit', 'signatures', '--json', '--fetch-retries=1', '--fetch-timeout=20000']
const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' })
const { faults, unchecked } = signaturesOf(stdout)

if (unchecked !== null) console.log(`! signatures of packages were not checked: ${unchecked}`)
else if (faults.length === 0) console.log('✓ signatures of packages')
if (licences.length === 0) console.log('✓ licences of production dependencies')
for (const fault of [...faults, ...licences.map((licence) => `licence that is not allowed: ${licence}`)])
  console.log(`✗ ${fault}`)
process.exit(faults.length + licences.length > 0 ? 1 : 0)
