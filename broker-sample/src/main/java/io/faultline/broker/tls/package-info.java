/** Certificates made at run time, for a broker that was given none. */
package io.faultline.broker.tls;
