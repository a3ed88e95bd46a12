// Replaces a shim for old browsers (vite.config.ts), which is larger than react-admin's texts.
module.exports = Object.entries
