/**
 * Installs the packages of package-lock.json that are missing, so that `npm start` and `npm test` are all that a fresh clone
 * needs: npm runs this before both. Other commands load it, and end if nothing is installed. It has no dependencies, and old versions
 * of Node can run it, because they get an error message.
 */
const current = process.versions.node
if (Number(current.split('.')[0]) < 20) {
  console.error(
    `This needs Node 20 or newer and runs on Node ${current}: install a newer one (https://nodejs.org), then try again.`,
  )
  process.exit(1)
}

const { spawn } = require('node:child_process')
const { createHash } = require('node:crypto')
const { existsSync, readFileSync, realpathSync } = require('node:fs')
const { createServer } = require('node:net')
const { delimiter, join } = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const root = realpathSync(join(__dirname, '../..'))

if (require.main === module) {
  start().catch(({ message }) => {
    console.error(message)
    process.exit(1)
  })
} else if (!process.features.typescript || !existsSync(join(root, 'node_modules/.package-lock.json'))) {
  console.error('Run "npm ci" first: it installs what this command needs, and the Node that runs it.')
  process.exit(1)
}

async function start() {
  if (isInstalled()) return
  // Checked only before an installation, so that other installations can be tried.
  demandPlatform()
  await alone(install)
}

/**
 * Whether what npm last installed, as it has written down itself, is what package-lock.json names for this machine. Content
 * and not times: a checkout touches every file.
 */
function isInstalled() {
  const named = packagesIn('package-lock.json')
  if (named === null) throw new Error(`There is no package-lock.json in ${root}: clone the repository again.`)
  // npm writes it last, so that it is absent after an installation that was cut off.
  const installed = packagesIn('node_modules/.package-lock.json')
  if (installed === null) return false
  return Object.entries(named).every(([path, wanted]) => {
    const found = installed[path]
    if (found !== undefined) return found.version === wanted.version && found.integrity === wanted.integrity
    return path === '' || ((wanted.optional || wanted.devOptional) && !isForThisMachine(wanted))
  })
}

function packagesIn(file) {
  if (!existsSync(join(root, file))) return null
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
}

/** Whether npm must have installed something optional here; without a machine's name it belongs to a package of another one. */
function isForThisMachine({ os, cpu, libc }) {
  if (os === undefined && cpu === undefined) return false
  const takes = (names, name) => names === undefined || [names].flat().includes(name)
  return takes(os, process.platform) && takes(cpu, process.arch) && takes(libc, hasGlibc() ? 'glibc' : 'musl')
}

function hasGlibc() {
  return process.report.getReport().header.glibcVersionRuntime !== undefined
}

function demandPlatform() {
  const { platform, arch } = process
  if (platform === 'linux' && (arch === 'x64' || arch === 'arm64') && hasGlibc()) return
  const libc = platform === 'linux' && !hasGlibc() ? ' with musl' : ''
  throw new Error(
    `This runs on Linux with glibc, x64 or arm64, and this is ${platform} ${arch}${libc}: use such a machine, a virtual one (WSL on Windows), or a container of the image node:24.`,
  )
}

/**
 * Lets one command at a time install into the folder. The lock is a name in the kernel, which is gone with the process that
 * holds it, however that ends.
 */
async function alone(work) {
  const name = `\0product-catalogue-${createHash('sha256').update(root).digest('hex')}`
  for (let waited = 0; !isInstalled(); waited += 1) {
    const lock = await take(name)
    if (lock !== null) {
      await work()
      return lock.close()
    }
    if (waited === 0) console.error('Another command is installing what package-lock.json names; waiting.')
    await sleep(500)
  }
}

/** The lock, or null when another process has it. */
function take(name) {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(name, () => resolve(server))
  })
}

/** Throws an Error with the output of npm if it fails. */
async function install() {
  const live = process.stderr.isTTY
  const started = Date.now()
  const seconds = () => Math.round((Date.now() - started) / 1000)
  const doing = 'Installing what package-lock.json names'
  const show = () => process.stderr.write(`\r\x1b[2K… ${doing} (${seconds()} s)`)
  if (live) show()
  else console.error(`… ${doing}`)
  const showing = live && setInterval(show, 1000)
  const { ended, said } = await npmCi()
  clearInterval(showing)
  if (live) process.stderr.write('\r\x1b[2K')
  if (typeof ended === 'string') {
    throw new Error(`Stopped by ${ended} before everything was installed. The next command begins again.`)
  }
  if (ended !== 0) throw new Error(`${said}\n\n"npm ci" failed; what it said is above.`)
  if (!isInstalled()) {
    throw new Error(`${said}\n\n"npm ci" left out what this machine needs; what it said is above.`)
  }
  console.error(`✔ Installed in ${seconds()} s`)
}

/** Runs `npm ci`; answers its exit code or the signal that ended it, and what it said. */
function npmCi() {
  // npm empties node_modules first, and with it the Node that npm puts in front for scripts.
  const own = join(root, 'node_modules/.bin')
  const PATH = (process.env.PATH || '').split(delimiter).filter((each) => each !== own)
  const parameters = ['ci', '--include=dev', '--include=optional', '--no-progress']
  const child = spawn('npm', parameters, {
    cwd: root,
    env: { ...process.env, PATH: PATH.join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  let asked = null
  const stop = (signal) => {
    asked = signal
    child.kill('SIGTERM')
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
  // An npm that was killed passes nothing on.
  const parent = process.ppid
  const watching = setInterval(() => process.ppid !== parent && stop('the end of npm'), 500)
  return new Promise((resolve, reject) => {
    child.once('error', ({ code }) =>
      reject(new Error(`npm could not be started (${code}): is it on the PATH?`)),
    )
    child.once('close', (code, signal) => {
      clearInterval(watching)
      resolve({ ended: asked || signal || code, said: said.trimEnd() })
    })
  })
}
