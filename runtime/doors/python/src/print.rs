//! What kernels print: to Python's own streams, which notebooks and tests redirect, or to a function of the program's.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wavejit::{Print, Stream};

/// Prints by `function(stream, text)`, where stream is "stdout" or "stderr" and text bytes; without one to `sys.stdout` and `sys.stderr`.
pub(crate) fn printer(function: Option<Py<PyAny>>) -> Print {
    Box::new(move |stream, text| {
        let name = match stream {
            Stream::Out => "stdout",
            Stream::Err => "stderr",
        };
        // None while the interpreter ends: there is nobody left to read it.
        Python::try_attach(|py| {
            let done = match &function {
                Some(function) => function.call1(py, (name, PyBytes::new(py, text))).map(|_| ()),
                None => write(py, name, text),
            };
            if let Err(e) = done {
                e.write_unraisable(py, function.as_ref().map(|f| f.bind(py)));
            }
        });
    })
}

fn write(py: Python<'_>, name: &str, text: &[u8]) -> PyResult<()> {
    let stream = py.import("sys")?.getattr(name)?;
    // A program without a console has none.
    if !stream.is_none() {
        stream.call_method1("write", (String::from_utf8_lossy(text),))?;
    }
    Ok(())
}
