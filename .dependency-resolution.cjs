// How dependency-cruiser finds our sources: package.json `imports` point to what the build makes of them.
const { join } = require('node:path');

module.exports = {
  resolve: {
    alias: { '#libs': join(__dirname, 'libs'), '#src': join(__dirname, 'src') },
    importsFields: [],
    extensionAlias: { '.js': ['.ts', '.js'] },
    exportsFields: ['exports'],
    conditionNames: ['import', 'node', 'default'],
  },
};
