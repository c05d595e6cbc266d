/**
 * What runs inside the host processes of the integration tests. A test packs this package into a jar of its own, so that a host sees nothing of
 * the tests, and drives it line by line over its standard input and output.
 */
package io.faultline.agent.host;
