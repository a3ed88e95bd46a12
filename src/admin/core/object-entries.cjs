// What vite.config.ts puts in place of a shim for browsers without it, which is larger than react-admin's texts.
module.exports = Object.entries
