/* lazy.h: HDF5, loaded when it is first used. It brings thirty other libraries along, which a command that writes no
 * HDF5 should not wait for: nothing is linked. Every function that is called stands in the list below; the names are
 * then those of a table of pointers. Include this instead of hdf5.h. */
#ifndef CAROM_HDF5_LAZY_H
#define CAROM_HDF5_LAZY_H

#include <hdf5.h>

#include "core/core.h"

#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
#define CAROM_HDF5_LOCKING(X) X(H5Pset_file_locking)
#else
#define CAROM_HDF5_LOCKING(X)
#endif
#define CAROM_HDF5_FUNCTIONS(X)                                                                                        \
    X(H5open) X(H5dont_atexit) X(H5Aclose) X(H5Acreate2) X(H5Aexists) X(H5Aget_space) X(H5Aget_type) X(H5Aiterate2)    \
    X(H5Aopen) X(H5Aread) X(H5Awrite) X(H5Dclose) X(H5Dcreate2) X(H5Dget_space) X(H5Dget_type) X(H5Dopen2)             \
    X(H5Dread) X(H5Dset_extent) X(H5Dwrite) X(H5Eget_auto2) X(H5Eset_auto2) X(H5FDregister)          \
    X(H5Fclose) X(H5Fcreate) X(H5Fflush) X(H5Fopen) X(H5Gclose) X(H5Gcreate2) X(H5Gopen2) X(H5Lexists) X(H5Pclose)     \
    X(H5Pcreate) X(H5Pget_driver_info) X(H5Pget_mdc_config) X(H5Pset_chunk) X(H5Pset_driver)                           \
    X(H5Pset_mdc_config) X(H5Sclose) X(H5Screate) X(H5Screate_simple) X(H5Sget_simple_extent_dims)                     \
    X(H5Sget_simple_extent_ndims) X(H5Sget_simple_extent_npoints) X(H5Sselect_hyperslab) X(H5Tclose) X(H5Tcopy)        \
    X(H5Tget_class) X(H5Tget_size) X(H5Tis_variable_str) X(H5Tset_cset) X(H5Tset_size) CAROM_HDF5_LOCKING(X)
/* Types and classes that are variables of the library. */
#define CAROM_HDF5_VARIABLES(X)                                                                                        \
    X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_INT_g) X(H5T_IEEE_F64LE_g) X(H5T_STD_I32LE_g) X(H5T_C_S1_g)                    \
    X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g)

typedef struct carom_hdf5_table {
#define X(name) __typeof__(name) *name##_;
    CAROM_HDF5_FUNCTIONS(X)
    CAROM_HDF5_VARIABLES(X)
#undef X
} carom_hdf5_table;
extern carom_hdf5_table carom_hdf5;

/* Before the first call of any of them; once is enough, more do no harm. CAROM_FILE: it cannot be loaded. */
carom_status carom_hdf5_load(carom_error *error);

#ifndef CAROM_HDF5_LAZY_LIST /* the file that fills the table needs the real names */
#undef H5OPEN  /* constants of hdf5.h open the library and check its version before they are a number: */
#undef H5CHECK /* it is open */
#define H5OPEN
#define H5CHECK
#define H5Aclose carom_hdf5.H5Aclose_
#define H5Acreate2 carom_hdf5.H5Acreate2_
#define H5Aexists carom_hdf5.H5Aexists_
#define H5Aget_space carom_hdf5.H5Aget_space_
#define H5Aget_type carom_hdf5.H5Aget_type_
#define H5Aiterate2 carom_hdf5.H5Aiterate2_
#define H5Aopen carom_hdf5.H5Aopen_
#define H5Aread carom_hdf5.H5Aread_
#define H5Awrite carom_hdf5.H5Awrite_
#define H5Dclose carom_hdf5.H5Dclose_
#define H5Dcreate2 carom_hdf5.H5Dcreate2_
#define H5Dget_space carom_hdf5.H5Dget_space_
#define H5Dget_type carom_hdf5.H5Dget_type_
#define H5Dopen2 carom_hdf5.H5Dopen2_
#define H5Dread carom_hdf5.H5Dread_
#define H5Dset_extent carom_hdf5.H5Dset_extent_
#define H5Dwrite carom_hdf5.H5Dwrite_
#define H5Eget_auto2 carom_hdf5.H5Eget_auto2_
#define H5Eset_auto2 carom_hdf5.H5Eset_auto2_
#define H5FDregister carom_hdf5.H5FDregister_
#define H5Fclose carom_hdf5.H5Fclose_
#define H5Fcreate carom_hdf5.H5Fcreate_
#define H5Fflush carom_hdf5.H5Fflush_
#define H5Fopen carom_hdf5.H5Fopen_
#define H5Gclose carom_hdf5.H5Gclose_
#define H5Gcreate2 carom_hdf5.H5Gcreate2_
#define H5Gopen2 carom_hdf5.H5Gopen2_
#define H5Lexists carom_hdf5.H5Lexists_
#define H5Pclose carom_hdf5.H5Pclose_
#define H5Pcreate carom_hdf5.H5Pcreate_
#define H5Pget_driver_info carom_hdf5.H5Pget_driver_info_
#define H5Pget_mdc_config carom_hdf5.H5Pget_mdc_config_
#define H5Pset_chunk carom_hdf5.H5Pset_chunk_
#define H5Pset_driver carom_hdf5.H5Pset_driver_
#define H5Pset_file_locking carom_hdf5.H5Pset_file_locking_
#define H5Pset_mdc_config carom_hdf5.H5Pset_mdc_config_
#define H5Sclose carom_hdf5.H5Sclose_
#define H5Screate carom_hdf5.H5Screate_
#define H5Screate_simple carom_hdf5.H5Screate_simple_
#define H5Sget_simple_extent_dims carom_hdf5.H5Sget_simple_extent_dims_
#define H5Sget_simple_extent_ndims carom_hdf5.H5Sget_simple_extent_ndims_
#define H5Sget_simple_extent_npoints carom_hdf5.H5Sget_simple_extent_npoints_
#define H5Sselect_hyperslab carom_hdf5.H5Sselect_hyperslab_
#define H5Tclose carom_hdf5.H5Tclose_
#define H5Tcopy carom_hdf5.H5Tcopy_
#define H5Tget_class carom_hdf5.H5Tget_class_
#define H5Tget_size carom_hdf5.H5Tget_size_
#define H5Tis_variable_str carom_hdf5.H5Tis_variable_str_
#define H5Tset_cset carom_hdf5.H5Tset_cset_
#define H5Tset_size carom_hdf5.H5Tset_size_
#define H5T_NATIVE_DOUBLE_g (*carom_hdf5.H5T_NATIVE_DOUBLE_g_)
#define H5T_NATIVE_INT_g (*carom_hdf5.H5T_NATIVE_INT_g_)
#define H5T_IEEE_F64LE_g (*carom_hdf5.H5T_IEEE_F64LE_g_)
#define H5T_STD_I32LE_g (*carom_hdf5.H5T_STD_I32LE_g_)
#define H5T_C_S1_g (*carom_hdf5.H5T_C_S1_g_)
#define H5P_CLS_FILE_ACCESS_ID_g (*carom_hdf5.H5P_CLS_FILE_ACCESS_ID_g_)
#define H5P_CLS_DATASET_CREATE_ID_g (*carom_hdf5.H5P_CLS_DATASET_CREATE_ID_g_)
#endif

#endif
