/** A request of a guide page, and the programs that send it: a command of curl, TypeScript and Python. */

/** A request as a block `http` writes it. Texts may contain `{{name}}`: a value of an earlier response. */
export type GuideRequest = {
  readonly method: string
  /** The address below the host, in the lines of the page. */
  readonly path: readonly string[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | null
  /** The expected status; null for any 2xx. */
  readonly status: number | null
  /** The only scopes of its token; null for all. */
  readonly scopes: readonly string[] | null
  readonly keeps: readonly KeptValue[]
}

/** A value of the response that later requests use. */
type KeptValue = { readonly name: string } & (
  | { readonly header: string }
  | { readonly path: readonly string[] }
)

/** Whether a block is a request: `http`, and not `http config`, which is an example that cannot be sent. */
export const isRequest = (info: string) => /^http(?! config)\b/.test(info)

/** @throws Error that names the invalid part */
export function parseRequest(info: string, code: string): GuideRequest {
  const [head = '', ...rest] = code.trimEnd().split('\n\n')
  const body = rest.length > 0 ? rest.join('\n\n') : null
  const [first = '', ...lines] = head.replaceAll(/\n {2,}/g, '\t').split('\n')
  const [, method, address] =
    /^(GET|HEAD|POST|PUT|PATCH|DELETE) ((?:\/|\{\{)\S*(?:\t\S+)*)$/.exec(first) ?? []
  if (method === undefined || address === undefined) throw new Error(`“${first}” is no line of a request`)
  const headers = lines.map((line) => {
    const [, name, value] = /^([\w-]+): (.+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`“${line}” is no header`)
    return [name, value] as const
  })
  if (body !== null && !headers.some(([name]) => name.toLowerCase() === 'content-type')) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/ld+json'
    headers.push(['Content-Type', type])
  }
  return { method, path: address.split('\t'), headers, body, ...settingsOf(info) }
}

function settingsOf(info: string): Pick<GuideRequest, 'status' | 'scopes' | 'keeps'> {
  const words = info.split(/\s+/).filter((word) => word !== 'http' && word !== 'keep')
  const settings = words.map((word) => {
    const [, name, value] = /^(\w+)=(\S+)$/.exec(word) ?? []
    if (name === undefined || value === undefined) throw new Error(`“${word}” is no setting of a request`)
    return { name, value }
  })
  const setting = (wanted: string) => settings.find(({ name }) => name === wanted)?.value ?? null
  const [status, token] = [setting('status'), setting('token')]
  const keeps = settings
    .filter(({ name }) => name !== 'status' && name !== 'token')
    .map(({ name, value }) =>
      value.startsWith('header:') ? { name, header: value.slice(7) } : { name, path: value.split('.') },
    )
  return { status: status === null ? null : Number(status), scopes: token?.split('+') ?? null, keeps }
}

/** A text that alternates: literal, name, literal, … */
const partsOf = (text: string) => text.split(/\{\{(\w+)\}\}/)

/** Writes a text with its names. `literal` writes the texts between the names. */
const writeText = (text: string, literal: (part: string) => string, name: (name: string) => string) =>
  partsOf(text)
    .map((part, index) => (index % 2 === 0 ? literal(part) : name(part)))
    .join('')

/** The request as curl sends it. Names are variables of the shell. */
export function curlOf({ method, path, headers, body, keeps }: GuideRequest): string {
  const escaped = (text: string) => text.replaceAll(/[\\"$`]/g, '\\$&')
  const quoted = (text: string) => `"${writeText(text, escaped, (name) => `\${${name}}`)}"`
  const options = [
    ...(/[[\]{}]/.test(path.join('').replaceAll(/\{\{\w+\}\}/g, '')) ? ['-g'] : []),
    ...(method === 'HEAD' ? ['-I'] : keeps.some((kept) => 'header' in kept) ? ['-i'] : []),
    ...(method === 'GET' || method === 'HEAD' || (method === 'POST' && body !== null)
      ? []
      : [`-X ${method}`]),
  ]
  const lines = [
    ['curl', ...options, `"$SHOP${path.map((line) => quoted(line).slice(1, -1)).join('\\\n')}"`].join(' '),
    '-H "Authorization: Bearer $TOKEN"',
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ]
  if (body === null) return `${lines.join(' \\\n  ')}\n${noteOf(keeps)}`
  const hasNames = partsOf(body).length > 1
  const text = hasNames
    ? writeText(
        body,
        (part) => part.replaceAll(/[\\$`]/g, '\\$&'),
        (name) => `\${${name}}`,
      )
    : body
  lines.push(`--data-binary @- <<${hasNames ? 'END' : "'END'"}`)
  return `${lines.join(' \\\n  ')}\n${text}\nEND\n${noteOf(keeps)}`
}

function noteOf(keeps: GuideRequest['keeps']): string {
  return keeps
    .map((kept) =>
      'header' in kept
        ? `# Set the variable ${kept.name} to the header ${kept.header} of the response.\n`
        : `# Set the variable ${kept.name} to ${kept.path.join('.')} of the response.\n`,
    )
    .join('')
}

/** How a language writes texts with names, and JSON. */
type Language = {
  readonly text: (text: string) => string
  readonly constants: Readonly<Record<string, string>>
}

/** A body that is JSON, as a literal of a language; null for another body. */
function literalOf(body: string, { text, constants }: Language): string | null {
  try {
    JSON.parse(body.replaceAll(/\{\{\w+\}\}/g, '0'))
  } catch {
    return null
  }
  return body.replaceAll(
    /"(?:[^"\\]|\\.)*"|\{\{(\w+)\}\}|\b(?:true|false|null)\b/g,
    (found, name: string | undefined) =>
      name ??
      (found.startsWith('"')
        ? /\{\{\w+\}\}/.test(found)
          ? text(JSON.parse(found))
          : found
        : constants[found]!),
  )
}

const indented = (text: string, by: number) => text.replaceAll('\n', `\n${' '.repeat(by)}`)

/** The inner part of a template of JavaScript. */
const templated = (text: string) =>
  writeText(
    text,
    (part) => part.replaceAll(/[\\`$]/g, '\\$&'),
    (name) => `\${${name}}`,
  )

const typescript: Language = {
  constants: { true: 'true', false: 'false', null: 'null' },
  text(text) {
    const parts = partsOf(text)
    if (parts.length === 1)
      return text.includes("'")
        ? JSON.stringify(text)
        : `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`
    if (parts.length === 3 && parts[0] === '' && parts[2] === '') return parts[1]!
    return `\`${templated(text)}\``
  },
}

const authorization = `Authorization: \`Bearer \${process.env.TOKEN}\``

/** The request as a module of Node sends it. */
export function typescriptOf(request: GuideRequest): string {
  const { method, path, headers, body, keeps } = request
  const { text } = typescript
  const [start = '', ...more] = path
  const lines = [`\`\${process.env.SHOP}${templated(start)}\``, ...more.map(text)]
  const address = lines.join(' +\n  ')
  const literal = body === null ? null : literalOf(body, typescript)
  const key = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`)
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',\n`]),
    ...(headers.length === 0
      ? [`  headers: { ${authorization} },\n`]
      : [
          `  headers: {\n    ${authorization},\n`,
          ...headers.map(([name, value]) => `    ${key(name)}: ${text(value)},\n`),
          '  },\n',
        ]),
    ...(body === null
      ? []
      : [`  body: ${literal === null ? text(body) : `JSON.stringify(${indented(literal, 2)})`},\n`]),
  ]
  const members = keeps.flatMap((kept) => ('path' in kept ? [kept] : []))
  const used = [...path, ...headers.flat(), body].join(' ')
  // A name that the request itself uses is declared above it.
  const declared = (name: string) => (used.includes(`{{${name}}}`) ? name : `const ${name}`)
  return [
    more.length === 0
      ? `const response = await fetch(${address}, {\n`
      : `const address =\n  ${address}\nconst response = await fetch(address, {\n`,
    `${options.join('')}})\n`,
    members.length === 0
      ? 'console.log(response.status, await response.text())\n'
      : 'const answer = await response.json()\nconsole.log(response.status, JSON.stringify(answer, null, 2))\n',
    ...keeps.map((kept) =>
      'header' in kept
        ? `${declared(kept.name)} = response.headers.get('${kept.header}')\n`
        : `${declared(kept.name)} = answer${kept.path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : /^[a-z]\w*$/i.test(step) ? `.${step}` : `['${step}']`)).join('')}\n`,
    ),
  ].join('')
}

const python: Language = {
  constants: { true: 'True', false: 'False', null: 'None' },
  text(text) {
    const parts = partsOf(text)
    if (parts.length === 1) return JSON.stringify(text)
    if (parts.length === 3 && parts[0] === '' && parts[2] === '') return parts[1]!
    const literal = (part: string) => JSON.stringify(part).slice(1, -1).replaceAll(/[{}]/g, '$&$&')
    return `f"${writeText(text, literal, (name) => `{${name}}`)}"`
  },
}

/** The request as a program of Python sends it, with its standard library only. */
export function pythonOf(request: GuideRequest): string {
  const { method, path, headers, body, status, keeps } = request
  const { text } = python
  const fails = status !== null && status >= 300
  const literal = body === null ? null : literalOf(body, python)
  const members = keeps.some((kept) => 'path' in kept)
  const address = path.map(text).join('\n    ')
  const imports = [
    ...(members || literal !== null ? ['import json\n'] : []),
    'import os\n',
    ...(fails ? ['from urllib.error import HTTPError\n'] : []),
    'from urllib.request import Request, urlopen\n',
  ]
  const data =
    body === null
      ? []
      : [`    data=${literal === null ? text(body) : `json.dumps(${indented(literal, 4)})`}.encode(),\n`]
  return [
    ...imports,
    '\nrequest = Request(\n',
    `    os.environ["SHOP"] + ${address.replaceAll('\n', '\n    ')},\n`,
    ...(method === 'GET' ? [] : [`    method="${method}",\n`]),
    '    headers={\n        "Authorization": "Bearer " + os.environ["TOKEN"],\n',
    ...headers.map(([name, value]) => `        "${name}": ${text(value)},\n`),
    '    },\n',
    ...data,
    ')\n',
    fails
      ? 'try:\n    response = urlopen(request)\nexcept HTTPError as error:\n    response = error\n'
      : 'response = urlopen(request)\n',
    members
      ? 'answer = json.load(response)\nprint(response.status, json.dumps(answer, indent=2))\n'
      : 'print(response.status, response.read().decode())\n',
    ...keeps.map((kept) =>
      'header' in kept
        ? `${kept.name} = response.headers["${kept.header}"]\n`
        : `${kept.name} = answer${kept.path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `["${step}"]`)).join('')}\n`,
    ),
  ].join('')
}
