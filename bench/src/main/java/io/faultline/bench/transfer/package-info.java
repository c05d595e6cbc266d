/** What the agent costs the threads that send files: where a send succeeds, where it fails, and as servers grow. */
package io.faultline.bench.transfer;
