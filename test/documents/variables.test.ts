/** The page of variables is generated from the comments in src/env.ts. `npm test -- documents/variables -u` writes it again. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const [, fields = ''] = /\nconst fields = z\.object\(\{\n([\s\S]*?)\n\}\)\n/.exec(read('src/env.ts')) ?? []
const [, secrets = ''] = /\[env\.production\.secrets\]\nrequired = (\[.*\])/.exec(read('wrangler.toml')) ?? []

const rows = [...fields.matchAll(/ {2}\/\*\* (.*) \*\/\n {2}([A-Z_]+): (.*)/g)].map(
  ([, comment = '', name = '', schema = '']) => {
    const isBinding = /^(?:counter|bindingWith|z\.object)/.test(schema)
    const kind = secrets.includes(`"${name}"`) ? 'secret' : isBinding ? 'binding' : 'variable'
    const fallback = /\.default\('?([^')]*)/.exec(schema)?.[1]?.replaceAll('_', '')
    const standard = fallback ?? (isBinding || schema.includes('.optional()') ? 'none' : 'required')
    return `| \`${name}\` | ${kind} | ${standard} | ${comment} |`
  },
)

const page = `# Variables, secrets and bindings

The settings of the Worker. This page is generated from \`src/env.ts\`. Variables and bindings are in \`wrangler.toml\` under \`[env.production]\`; \`npx wrangler secret put NAME --env production\` sets a secret. With invalid settings, the Worker answers 503 \`server.invalid_settings\`, and the log names them.

| name | kind | default | meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`

test('the page of variables has each setting of the code', async () => {
  expect(rows).toHaveLength([...fields.matchAll(/^ {2}[A-Z_]+: /gm)].length)
  await expect(page).toMatchFileSnapshot('../../.github/docs/variables.md')
})
