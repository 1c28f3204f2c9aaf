'use strict';
const vscode = require('vscode');

exports.activate = () => vscode.commands.executeCommand('gpuRental.instances.focus');
