/**
 * Some editors' extensions read the SSH config of the account alone. The home of whoever runs the tests
 * stays out of it: to each process that loads this first, the account's home is the one of the session.
 */
const os = require('node:os');

const real = os.userInfo;
os.userInfo = (...args) => ({ ...real(...args), homedir: process.env.HOME });
