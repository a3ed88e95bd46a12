// @ts-check
/** Shows the API reference of one version, at once as plain text, and calls that carry the token of this tab. */

/** Kept for the tab alone, under the name that /admin reads as well. */
const kept = 'catalogue.token'

const field = /** @type {HTMLInputElement} */ (document.getElementById('token'))
const state = /** @type {HTMLOutputElement} */ (document.getElementById('state'))

function showState() {
  state.textContent = sessionStorage.getItem(kept) ? '✓ calls carry it' : ''
}

/** @typedef {{ name: string, versions: { name: string, deprecated: boolean }[], currentVersion: string }} Catalogue */

/**
 * The version that the address names (`?api=2026-04`, or `#2026-04/…` of a link from before), else the current one.
 * @param {Catalogue} catalogue
 */
function chosenVersion({ versions, currentVersion }) {
  const [, linked = '', rest = ''] = /^#(\d{4}-\d{2}|unstable)\/(.*)$/.exec(location.hash) ?? []
  if (linked !== '') history.replaceState(null, '', `#${rest}`)
  const named = new URLSearchParams(location.search).get('api') ?? linked
  return versions.some(({ name }) => name === named) ? named : currentVersion
}

/** @param {Catalogue} catalogue @param {string} chosen */
function offerVersions({ versions }, chosen) {
  const select = /** @type {HTMLSelectElement} */ (document.getElementById('version'))
  for (const { name, deprecated } of versions.toReversed()) {
    select.add(new Option(deprecated ? `${name} (deprecated)` : name, name, name === chosen, name === chosen))
  }
  select.addEventListener('change', () => {
    location.search = `?api=${select.value}`
  })
}

/** Names the links and buttons that Scalar shows as a picture alone, and lets the keyboard scroll its blocks of code. */
function completeScalar() {
  for (const block of document.querySelectorAll('#reference code.custom-scroll:not([tabindex])'))
    block.setAttribute('tabindex', '0')
  for (const each of document.querySelectorAll(
    '#reference :is(a.min-w-7, button[class*="copy-button"]):not([aria-label])',
  )) {
    each.setAttribute('aria-label', each.textContent?.trim() || 'Copy')
  }
}

/** @param {object} content */
function configurationOf(content) {
  return {
    content,
    // The page sends requests to this host only.
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    persistAuth: false,
    defaultOpenFirstTag: true,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    theme: 'none',
    metaData: { title: document.title },
    customFetch: call,
    onLoaded: () => document.getElementById('first')?.remove(),
  }
}

/**
 * Calls carry the token of this tab, and go to this host alone.
 * @param {RequestInfo | URL} asked
 * @param {RequestInit} [options]
 */
async function call(asked, options) {
  const request = new Request(asked, options)
  const { origin } = new URL(request.url)
  if (origin !== location.origin) return Response.error()
  const token = sessionStorage.getItem(kept)
  if (token && !/^Bearer \S+\.\S+\.\S+$/.test(request.headers.get('authorization') ?? '')) {
    request.headers.set('Authorization', `Bearer ${token}`)
  }
  return fetch(request)
}

/**
 * Scalar would send every optional parameter that has an example. Only those of the documented request are sent; the others are
 * offered. The version stays: a call is tried in the version that is being read.
 * @param {any} description
 */
function withoutPreset(description) {
  const operations = Object.values(description.paths ?? {}).flatMap((path) => Object.values(path))
  const parameters = [
    ...Object.values(description.components?.parameters ?? {}),
    ...operations.flatMap((operation) => operation.parameters ?? []),
  ]
  for (const parameter of parameters) {
    if (!parameter.name || parameter.required || parameter.name === 'Service-Api-Version') continue
    const { schema = {}, example } = parameter
    const value = example ?? schema.examples?.[0] ?? schema.enum?.[0] ?? ''
    delete parameter.example
    parameter.examples = { default: { value, 'x-disabled': example === undefined } }
  }
  return description
}

field.value = sessionStorage.getItem(kept) ?? ''
showState()
field.addEventListener('input', () => {
  const token = field.value.trim().replace(/^Bearer /i, '')
  if (token === '') sessionStorage.removeItem(kept)
  else sessionStorage.setItem(kept, token)
  showState()
})
document.getElementById('access')?.addEventListener('submit', (event) => event.preventDefault())

/**
 * The description with the ids of existing resources instead of those of its examples, if the tenant has no demo catalogue. An
 * example that refers to other resources can then be sent unchanged.
 * @param {string} version
 */
async function described(version) {
  const text = await (await fetch(`/api/openapi.json?version=${version}`)).text()
  const ids = sessionStorage.getItem(kept) ? await existingIds(JSON.parse(text).components.examples) : []
  return withoutPreset(JSON.parse(ids.reduce((found, [example, id]) => found.replaceAll(example, id), text)))
}

/**
 * The ids of examples that do not exist, each with that of an existing resource.
 * @param {any} examples
 * @returns {Promise<[string, string][]>}
 */
async function existingIds(examples) {
  const read = async (/** @type {string} */ address) => {
    const answer = await call(address).catch(() => null)
    return answer?.ok ? answer.json() : null
  }
  const names = ['getProduct', 'getCategory', 'getCollection', 'getMetaobjectDefinition']
  const found = await Promise.all(
    names.map(async (name) => {
      const example = examples[`${name}Response`]?.value
      if (!example || (await read(example['@id']))) return []
      const [known] = (await read(`${example['@id'].replace(/\/[^/]*$/, '')}?itemsPerPage=1`))?.member ?? []
      const parts = known ? [known, known.variants?.[0], known.options?.[0]] : []
      const replaced = [example, example.variants?.[0], example.options?.[0]]
      return parts.flatMap((part, index) =>
        part?.id && replaced[index] ? [[replaced[index].id, part.id]] : [],
      )
    }),
  )
  return /** @type {[string, string][]} */ (found.flat())
}

/**
 * The operation that the address names, or the first one, as plain text: Scalar needs seconds on a slow machine.
 * @param {any} description
 */
function showFirst({ info, paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const named = operations.find(({ path, method }) => location.hash.endsWith(`/${method}${path}`))
  const { path, method, operation } = named ?? operations[0] ?? {}
  if (!operation) return
  const written = Object.values(operation.requestBody?.content ?? {})[0]?.examples ?? {}
  const [example = ''] = Object.keys(written)
  const body = components.examples?.[example]?.value
  document
    .getElementById('first')
    ?.replaceChildren(
      textual('p', `${info.title} ${info.version}`),
      textual('h1', operation.summary),
      textual('pre', `${method} ${path}`),
      textual('p', operation.description),
      ...(body === undefined ? [] : [textual('pre', JSON.stringify(body, null, 2))]),
    )
}

/** @param {string} name @param {string} text */
function textual(name, text) {
  const element = document.createElement(name)
  element.textContent = text
  return element
}

/** @returns {Promise<{ createApiReference(target: string, configuration: object): unknown }>} */
async function loadScalar() {
  const script = document.createElement('script')
  script.src = '/docs/scalar.js'
  const loaded = new Promise((resolve, reject) => {
    script.onload = resolve
    script.onerror = reject
  })
  document.head.append(script)
  await loaded
  return Reflect.get(window, 'Scalar')
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))

const answer = await fetch('/docs/catalogue.json')
/** @type {Catalogue} */
const catalogue = await answer.json()
const tenant = document.getElementById('tenant')
if (tenant) tenant.textContent = `${catalogue.name}: API reference`
const version = chosenVersion(catalogue)
offerVersions(catalogue, version)
const description = await described(version)
showFirst(description)
await painted()
performance.mark('first operation')
const scalar = await loadScalar()
let isNaming = false
new MutationObserver(() => {
  if (isNaming) return
  isNaming = true
  requestAnimationFrame(() => {
    isNaming = false
    completeScalar()
  })
}).observe(document.body, { childList: true, subtree: true })
scalar.createApiReference('#reference', configurationOf(description))
