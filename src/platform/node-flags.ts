/**
 * Node options for the processes of the platform. By default, V8 lets each semi-space of the young generation grow to
 * 64 MB on a machine with much memory. A limit of 32 MB saves memory at about the same CPU time per request; smaller
 * limits make requests measurably slower.
 */
export const NODE_FLAGS = ['--max-semi-space-size=32'];
