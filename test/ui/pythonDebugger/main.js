const vscode = require('vscode');

exports.activate = ({ subscriptions }) => {
  subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory('debugpy', {
      createDebugAdapterDescriptor: ({ configuration: { connect } }) =>
        new vscode.DebugAdapterServer(connect.port, connect.host),
    }),
  );
};
